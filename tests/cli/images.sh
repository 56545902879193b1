#!/bin/sh
# What a program executes and starts is measured as well: exec, scripts and other wrappers, fork, vfork, posix_spawn,
# daemons. fixtures/trace/images.c says what it calls with what.
. "$(dirname "$0")/lib"

ask() {
	sqlite3 -separator ' ' images.fathom "$1"
}
# The calls and the sum of their arguments, a line a program: counted
counted() {
	for view in $(ask "SELECT id FROM function WHERE name = 'work' ORDER BY coalesce(module, '')"); do
		n=$(ask "SELECT id FROM variable WHERE function = $view AND name = 'n'")
		ask "SELECT coalesce((SELECT replace(module, '$PWD/', '') FROM function WHERE id = $view), 'own'),
			count(*), sum(v$n) FROM sample_$view"
	done
}
# expect LINE...: what counted must say
expect() {
	printf '%s\n' "$@" >wanted
	counted >got
	same wanted got
}

cp "$build/fixtures/images-gcc-O2" one
# Another program whose function has the same name and another parameter: the place alone does not tell them apart.
gcc -O2 -g -pthread -DEXTRA -no-pie "$top/fixtures/trace/images.c" -o other || fail 'the fixture is not built'

programs="$build/fixtures/images-gcc-O2-static $build/fixtures/images-clang-O0 $build/fixtures/images-gcc-O2"
[ -z "${FATHOM_SANITIZED:-}" ] || programs=$build/fixtures/images-gcc-O2
for program in $programs; do
	[ -f "$program" ] || continue
	cp "$program" one
	# exec: in the same process, by any way.
	rm -f images.fathom
	run 0 run -f work -o images.fathom -- ./one exec ./other work 30
	expect 'own 1 1' "other 1 30"
	[ "$(ask 'SELECT count(DISTINCT process) FROM sample_1 JOIN sample_2 USING (process)')" = 1 ] ||
		fail 'exec made another process of it'

	# fork: children are processes of their own, with threads; ids are unique, parents their own.
	rm -f images.fathom
	run 0 run -f work --follow-fork -o images.fathom -r report -- ./one children 5
	expect 'own 12 123'
	sed -n 's/^child \(.*\): \(.*\)/\1 \2/p' output | sort >printed
	ask "SELECT process, sum(n) FROM work WHERE n >= 10 GROUP BY process ORDER BY 1" | sort >got
	same printed got
	[ "$(ask 'SELECT count(*) FROM work WHERE thread != process')" = 5 ] || fail 'threads are not told'

	# Those that exec, started in every way; a second run adds up.
	for way in fork vfork spawn; do
		rm -f images.fathom
		for round in 1 2; do
			run 0 run -f work --follow-fork -v -o images.fathom -r report -- \
				./one $way 6 ./other work 4
			[ "$(grep -c 'executes .*/other, which is measured' errors)" = 1 ] ||
				fail 'the catalogue was not used again'
			grep -q 'let go\|started' errors && fail 'processes were let go'
			expect "own $((2 * round)) $((3 * round))" "other $((6 * round)) $((24 * round))"
		done
		[ "$(grep -c '^work \[images.c:[0-9]*\].time {' report)" = 2 ] || fail 'there are not two annotations'
		grep -q "// It is in $PWD/other" report || fail 'the annotations are not told apart'
		"$fathom" annotate images.fathom >again || fail 'the profile is not annotated'
		same report again
		[ "$(ask 'SELECT count(DISTINCT process) FROM "#2 work"')" = 12 ] || fail 'processes are not told'
	done
	# Without --follow-fork they run on unmeasured, and that is said.
	for way in fork vfork spawn; do
		rm -f images.fathom
		run 0 run -f work -v -o images.fathom -r report -- ./one $way 3 ./other work 4
		expect 'own 2 3'
		grep -q '3 processes that it started were not measured; with --follow-fork' errors ||
			fail 'nothing is said of the children'
	done
done

# Scripts execute what is meant, or start it.
printf '#!/bin/sh\n./one work 5\n./one work 6\nexec ./other work 7\n' >script
chmod +x script
rm -f images.fathom
run 0 run -f work -o images.fathom -- ./script
expect 'own 1 7'
[ "$(ask 'SELECT executable FROM run')" = "$PWD/other" ] || fail 'the profile is of another program'
rm -f images.fathom
run 0 run -f work -q --follow-fork -o images.fathom -- ./script
expect 'own 2 11' 'other 1 7'
[ ! -s errors ] || fail 'something was said'
# The profile of a direct run is added to.
run 0 run -f work -o images.fathom -- ./one work 8
expect 'own 3 19' 'other 1 7'
printf '#!./script2\n' >script1
printf '#!/usr/bin/env sh\nexec ./one work 3\n' >script2
chmod +x script1 script2
run 0 run -f work -o images.fathom -- ./script1
expect 'own 4 22' 'other 1 7'

# Other wrappers want --follow-fork, and a typing error is one at once, where that can be known.
run 2 run -f work -- env X=1 ./one work 3
complains 'if it is run by something that env starts, add --follow-fork'
run 2 run -f wrok -- ./one fork 3 ./other work 1
complains 'no function "wrok"; the nearest names are: work'
[ ! -s output ] || fail 'the program was run for nothing'
for wrapper in 'env X=1' nice "sh -c 'exec \"\$@\"' sh" 'timeout 20' './script'; do
	rm -f images.fathom
	eval "run 0 run -f work --follow-fork -o images.fathom -- $wrapper ./one work 7"
	[ "$(ask 'SELECT sum(calls) > 0 FROM account')" = 1 ] || fail "$wrapper: nothing was measured"
done
run 2 run -q -f wrok --follow-fork -- ./script
complains 'no function "wrok"; the nearest names are: work'
run 2 run -q -f wrok -- ./script
complains '2 processes that it started were not measured; with --follow-fork they are'
run 2 run -q -f into_b --follow-fork -- ./one work 1
complains 'no function "into_b"'

printf '#!/bin/sh\nexit 3\n' >nothing
chmod +x nothing
run 2 run -q -f work -- ./nothing
complains 'no program that ran has such a function'

# A function that one program has and the other has not.
rm -f images.fathom
run 0 run -f work -f main -f nowhere --follow-fork -o images.fathom -- ./one fork 2 ./other work 1
grep -q 'no program that ran has a function "nowhere"' errors || fail 'the name that is nowhere is not mentioned'

# What cannot be read is executed nevertheless.
head -c 3000 one >broken
chmod +x broken
printf '#!/nowhere/at/all\n' >stray
chmod +x stray
for program in broken stray; do
	rm -f images.fathom
	run 0 run -f work --follow-fork -o images.fathom -- ./one fork 2 ./$program
	expect 'own 2 3'
done
run 0 run -f work -- ./one exec /bin/true
grep -q 'executes .*true, of which nothing is measured' errors || fail 'the end of the measurement is not mentioned'

# A program that was built anew is another one.
cp other copy
rm -f images.fathom
run 0 run -q -f work --follow-fork -o images.fathom -- ./one fork 1 ./copy work 1
gcc -O1 -g -pthread -DEXTRA "$top/fixtures/trace/images.c" -o copy
run 0 run -f work --follow-fork -o images.fathom -- ./one fork 1 ./copy work 1
grep -q 'holds samples of another build' errors || fail 'two builds are taken for one'
expect 'own 4 6' 'copy 1 1'

# A daemon is measured to its end, or lives on.
rm -f images.fathom
run 0 run -f work --follow-fork -o images.fathom -- ./one daemon "$PWD/sum" 20
grep -q 'processes that it started go on' errors || fail 'the user does not know what is waited for'
[ "$(cat sum)" = 210 ] || fail 'the daemon was harmed'
expect 'own 21 211'
rm -f sum
run 0 run -f work -v -- ./one daemon "$PWD/sum" 20
grep -q 'started.*not measured' errors || fail 'nothing is said of the daemon'
for _ in $(seq 600); do
	[ ! -s sum ] || break
	sleep 0.1
done
[ "$(cat sum)" = 210 ] || fail 'the daemon does not live on'

# The kernel says of a script without its interpreter that the script is not there.
printf '#!/nowhere/interpreter\n' >homeless
chmod +x homeless
run 3 run -f work -o images.fathom -- ./homeless
complains 'cannot run ./homeless: the interpreter that it names is not there'
