#!/bin/sh
# Allocated memory, exactly as programs count it themselves: fixtures/trace/memory.c and news.cc print what each call
# of work() has allocated, and the most that was live at once.
# sanitized by --full: unit tests cover the sums, and mem_at.sh allocates, too
. "$(dirname "$0")/lib"

# The samples of work(), as they began: samples COLUMNS
samples() {
	table=$(sqlite3 memory.fathom "SELECT name FROM sqlite_master WHERE name LIKE 'work%'")
	sqlite3 -separator ' ' memory.fathom "SELECT $1 FROM \"$table\" ORDER BY id"
}

# measure NAME [OPTION...] -- PROGRAM...: compare with what it prints; of memory.c without what it maps
measure() {
	name=$1
	shift
	rm -f memory.fathom
	run 0 run -q --max-overhead none -f work -m mem,peak -o memory.fathom --no-models "$@"
	[ -s output ] || fail "$name: nothing was printed"
	cut -d ' ' -f 1-4 output >wanted
	samples 'way, n, CAST(mem AS INT), CAST(peak AS INT)' >got
	diff -u wanted got >difference || {
		cat difference
		fail "$name: mem or peak is wrong"
	}
}

for program in $(built memory) $(built news); do
	measure "$(basename "$program")" -- "$program"
done

# Threads, all of which allocate in measured calls at once.
for program in $(built memory | grep gcc); do
	rm -f memory.fathom
	for probes in pads stops; do
		rm -f memory.fathom
		run 0 run -q --max-overhead none --probes $probes -f work -m mem,peak,leaks,leaks.blocks -o memory.fathom \
			--no-models -- "$program" threads
		cut -d ' ' -f 1-4,6,7 output | sort >wanted
		grep -q ' 7$' wanted || fail 'no call has left blocks behind'
		samples 'way, n, CAST(mem AS INT), CAST(peak AS INT), CAST(leaks AS INT), CAST("leaks.blocks" AS INT)' |
			sort >got
		same wanted got
	done
done

# A process that is attached to, perhaps within malloc(), and left, perhaps there as well: it lives on.
program=$build/fixtures/memory-gcc-O2
"$program" slow >printed </dev/null &
running=$!
sleep 0.3
rm -f memory.fathom
run 0 attach -q --for 0.7 -f work -m mem,peak -o memory.fathom --no-models $running
wait $running || fail "the program ended with status $? after it had been left"
[ "$(grep -c '' printed)" = $((41 * 56)) ] || fail 'the program did not print all that it prints'
cut -d ' ' -f 1-4 printed | sort -u >wanted
# Absent is what a call allocated that was at it when it was attached to, or left.
samples 'way, n, CAST(mem AS INT), CAST(peak AS INT)' | awk 'NF == 4' | sort -u >got
[ "$(samples 'count(*) > 20')" = 1 ] || fail 'hardly anything was measured'
[ -z "$(comm -13 wanted got)" ] || fail "measured, but not printed: $(comm -13 wanted got)"

# Anonymous mappings count on request.
for program in $(built memory | grep gcc); do
	rm -f memory.fathom
	run 0 run -q --max-overhead none -f work -m mem,peak --count-mappings -o memory.fathom --no-models -- "$program"
	awk '{ print $1, $2, $3 + $5, $5 ? $2 * 4096 : $4 }' output >wanted
	samples 'way, n, CAST(mem AS INT), CAST(peak AS INT)' >got
	same wanted got
done

# Allocators that are preloaded: by the tool's own environment, and by that of a program that is executed later.
for library in "$build/fixtures/liballocator.so" libjemalloc.so.2 libtcmalloc_minimal.so.4; do
	[ "$library" = "$build/fixtures/liballocator.so" ] || [ -e "/usr/lib/x86_64-linux-gnu/$library" ] || continue
	for program in memory-gcc-O0 memory-gcc-O2 news-gcc-O2; do
		measure "$program with $(basename "$library")" --follow-fork -- \
			env "LD_PRELOAD=$library" "$build/fixtures/$program" foreign
	done
done
# Sanitizers want an allocator of their own.
if ! ldd "$fathom" | grep -q libasan; then
	export LD_PRELOAD="$build/fixtures/liballocator.so"
	measure 'memory-gcc-O2, with a preloaded allocator' -- "$build/fixtures/memory-gcc-O2"
	# One that is measured itself, at its first instruction or behind its prologue. What its functions do for others
	# of them is not known.
	for library in "$build"/fixtures/liballocator*.so; do
		rm -f memory.fathom
		export LD_PRELOAD="$library"
		run 0 run -q --max-overhead none -f work -f "$library:malloc" -f "$library:memalign" -m mem,peak -o memory.fathom \
			--no-models -- "$build/fixtures/memory-gcc-O2"
		unset LD_PRELOAD
		[ "$(sqlite3 memory.fathom 'SELECT count(mem) > 100 AND count(mem) < count(*) AND min(mem = size AND
			peak = size) FROM malloc WHERE size < 1e8')" = 1 ] || fail "$library: malloc() does not allocate its size"
	done
	unset LD_PRELOAD
fi

# The heap of a program that says nothing of malloc() is not known, and that is said.
if [ -f "$build/fixtures/memory-gcc-O2-static" ]; then
	objcopy --strip-symbol=malloc --strip-symbol=__libc_malloc "$build/fixtures/memory-gcc-O2-static" nameless
	rm -f memory.fathom
	run 0 run -f work -m mem,peak -o memory.fathom --no-models -- ./nameless
	grep -q 'mem is not known: neither the program nor a library' errors || fail 'it is not said that mem is not known'
	[ "$(samples 'DISTINCT mem IS NULL AND peak IS NULL')" = 1 ] || fail 'what is not known is a number'
fi

# What measured callees allocate is theirs, and an allocator that is measured itself allocates.
program=$build/fixtures/memory-gcc-O0
rm -f memory.fathom
run 0 run -q --max-overhead none -f work -f grow -f last -f libc.so.6:malloc -m mem,self.mem -o memory.fathom --no-models -- "$program"
[ "$(sqlite3 memory.fathom 'SELECT count(*) FROM last WHERE mem != n OR "self.mem" != 0')" = 0 ] ||
	fail 'last() does not allocate n bytes, all of them in malloc()'
[ "$(sqlite3 memory.fathom 'SELECT count(*) > 0 AND min(mem = "to" AND "self.mem" = mem) FROM grow')" = 1 ] ||
	fail 'grow() does not reallocate as much as it says'
[ "$(sqlite3 memory.fathom 'SELECT count(mem) > 100 AND min(mem = "$rdi" AND "self.mem" = mem) FROM malloc
	WHERE "$rdi" < 1e9')" = 1 ] || fail 'malloc(n) does not allocate n bytes'

# Libraries are mentioned only if functions of them were asked for.
[ "$(sqlite3 memory.fathom 'SELECT count(*) FROM library')" = 1 ] || fail 'there is a library that nobody asked for'
rm -f memory.fathom
run 0 run -q --max-overhead none -f work -m mem -o memory.fathom --no-models -- "$program"
[ "$(sqlite3 memory.fathom 'SELECT count(*) FROM library')" = 0 ] || fail 'there is a library that nobody asked for'
