#!/bin/sh
# A function that is called without pause is measured for a part of the time, one that is called seldom always; the program
# does what it does alone; --max-overhead none measures every call.
# Mostly by stops: pads cost so little that hardly anything is too much.
# alone: its programs take a processor each, and what measuring costs is compared
# not sanitized: costs are for real
. "$(dirname "$0")/lib"
. "$top/tests/cli/tally_lib"

# profile COLUMN FUNCTION: of its account.
profile() {
	sqlite3 hot.fathom "SELECT $1 FROM account JOIN function ON function.id = function WHERE name = '$2'"
}

# truth WORD: a number that the program printed.
truth() {
	sed -n "s/^$1 //p" output
}

hot() {
	rm -f hot.fathom
	run 0 run --probes stops "$@" -o hot.fathom --no-models -- "$program" "$way"
}

compilers=$(tally_compilers)
[ -n "${FATHOM_FULL:-}" ] || compilers=gcc
for compiler in $compilers; do
	program=$build/fixtures/hot-$compiler-O2
	way=spin:2000000
	"$program" "$way" | sed '/^took/d' >alone

	hot -f work -f seldom
	sed '/^took/d' output >measured
	same alone measured
	[ "$(truth calls)" -eq 2000000 ] || fail 'the program did not call it as often as it was told'
	[ "$(profile calls work)" -lt 1000000 ] || fail 'the hot function was measured all the time'
	[ "$(profile calls work)" -gt 100 ] || fail 'the hot function was hardly measured'
	[ "$(profile abandoned work)" -eq 0 ] || fail 'calls of the hot function got lost'
	[ "$(profile calls seldom)" -eq "$(truth seldom)" ] || fail 'calls of the seldom function are missing'
	grep -q '^fathom: work: measured [0-9.]* % of the time, [0-9]* calls' errors || fail 'its share is not said'
	! grep -q '^fathom: seldom: measured' errors || fail 'the seldom function is said not to be measured always'

	# Quiet says none of that, verbose what it cost.
	hot -q --no-models -f work # modelling is said where it takes long
	[ ! -s errors ] || fail 'something is said in spite of -q'
	hot -v -f work
	grep -q '^fathom: measuring cost about [0-9.]* % of' errors || fail 'the overhead is not said'

	# Without a limit all are measured.
	way=spin:5000
	hot --max-overhead none -f work -f seldom
	[ "$(profile calls work)" -eq 5000 ] || fail 'none leaves calls out'
	! grep -q 'measured .* of the time' errors || fail 'a share is said though everything was measured'

	# What is looked at within one long call would be beyond the budget: it is given up, and that is said.
	way=heap:100000
	hot -f run -m time,mem
	grep -q '^fathom: to look at every allocation and lock of some calls costs more' errors ||
		fail 'it is not said that allocations are not looked at'
	[ "$(sqlite3 hot.fathom 'SELECT count(*) FROM absence WHERE reason = "not-measured"')" -eq 1 ] ||
		fail 'what was not looked at is told'
	way=heap:20000
	hot --max-overhead none -f run -m time,mem
	[ "$(sqlite3 hot.fathom 'SELECT mem FROM "#1 run"')" = 320000.0 ] || fail 'what none measures is not all'

	# Recursion: what is measured is right: of fib(n) there are ever fewer the larger n is.
	way=fib:4000
	"$program" "$way" | sed '/^took/d' >alone
	hot -f fib
	sed '/^took/d' output >measured
	same alone measured
	[ "$(profile calls fib)" -gt 100 ] || fail 'recursion was hardly measured'
done

# A function whose calls pads begin and stops end is closed while threads are in it: its calls end where they do. In no
# thread a call begins before the one that it follows has ended.
timeout 120 "$fathom" list -v "$build/fixtures/tight" | grep -A 1 '^tight ' | grep -q 'entry, 0 of 1 return' || fail 'its return has a pad'
rm -f tight.fathom
run 0 run --max-overhead 1 -f tight -f run -o tight.fathom --no-models -- "$build/fixtures/tight" 4 5000000
grep -qx 'calls tight 20000000 50000020000000' output || fail 'the sum is wrong'
[ "$(sqlite3 tight.fathom 'SELECT sum(abandoned) FROM account')" = 0 ] || fail 'calls got lost as the function was closed'
[ "$(sqlite3 tight.fathom 'SELECT count(*) FROM (SELECT start_ns - lag(start_ns + 1000 * time) OVER (PARTITION BY thread ORDER BY start_ns)
	AS pause FROM tight) WHERE pause < -1000')" = 0 ] || fail 'ends of calls are those of later ones'

# Programs that print their own truth are not harmed, and no more calls are found than there were.
at_most() {
	name=$1
	shift
	"$@" >printed 2>/dev/null </dev/null
	expected=$?
	grep -v '^calls' printed >alone
	rm -f tally.fathom
	# shellcheck disable=SC2046 # one option a function
	timeout 60 "$fathom" run --max-overhead 0.1 $(printf -- '-f %s ' $functions) -o tally.fathom --no-models -- "$@" \
		>output 2>errors </dev/null || fail "$name: fathom's status is $?"
	grep -v '^calls' output >others
	same alone others
	grep -q "exited with status $expected " errors || fail "$name: its status was not $expected"
	ended tally.fathom >ends
	sed -n 's/^calls //p' output | while read -r function calls sum; do
		found=$(sed -n "s/^$function \([0-9]*\) .*/\1/p" ends)
		[ "${found:-0}" -ne 0 ] || continue # it has no samples then
		[ "$found" -le "$calls" ] && [ "$(sqlite3 tally.fathom \
			"SELECT sum(n) <= $sum FROM '$function' WHERE \"exit\" IS NULL OR \"exit\" NOT IN ('thrown', 'jumped')")" -eq 1 ] ||
			echo "$function"
	done >more
	[ ! -s more ] || fail "$name: more calls than there were: $(cat more)"
}
for compiler in $(tally_compilers); do
	for level in O0 O2; do
		functions='deep even first_call generated last_call moved odd plunge step turned wide'
		at_most depth "$build/fixtures/depth-$compiler-$level"
		functions='brief ending leaving together'
		at_most crowd "$build/fixtures/crowd-$compiler-$level"
	done
done
