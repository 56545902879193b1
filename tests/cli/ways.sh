#!/bin/sh
# Every way out of a call, threads, signals and children: the fixture counts its calls, and so does fathom.
# sanitized by --full: what follows calls does so in signals.sh and images.sh, too
. "$(dirname "$0")/lib"

functions="coroutine_step in_child in_handler in_thread interrupted jumps_out last raises recursive tail"
for program in $(built ways); do
	rm -f ways.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run --max-overhead none $(printf -- '-f %s ' $functions) -o ways.fathom --no-models -- "$program" 5
	grep -q 'exited with status 5' errors || fail "the program's status was not reported"
	grep -q '^children 10$' output || fail "$(basename "$program"): children were harmed"
	grep -v '^children' output >printed
	ended ways.fathom >ends
	grep -qx 'jumps_out 10 0 10' ends || fail "calls that were left are not told from others"
	cut -d ' ' -f 1,2 ends >counted
	same printed counted
	deepest=$(sqlite3 ways.fathom "
		WITH RECURSIVE up(id, depth) AS (
			SELECT id, 1 FROM 'recursive' WHERE parent IS NULL
			UNION ALL SELECT call.id, depth + 1 FROM 'recursive' AS call JOIN up ON parent = up.id)
		SELECT max(depth) FROM up")
	[ "$deepest" = 201 ] || fail "the callers of a recursion are $deepest deep, not 201"
done

for program in $(built jumps); do
	rm -f calls.fathom
	run 0 run --max-overhead none -f by_object -f by_switch -f dispatch -f in_loop -f spins -f through -o calls.fathom --no-models \
		-- "$program"
	ended calls.fathom | sed 's/ \[clone .isra.0\]//; s/ [0-9]* [0-9]*$//' >counted
	same output counted
	[ "$(sqlite3 calls.fathom 'SELECT count(*) FROM spins WHERE (n = 3) <> ("exit" = '"'jumped'"')')" = 0 ] ||
		fail "$(basename "$program"): calls that were left are taken for others that came back"
done

for program in $(built throws); do
	rm -f calls.fathom
	run 0 run --max-overhead none -f 'shop::*::total' -f 'shop::*::add' -f 'shop::t*' -o calls.fathom --no-models \
		-- "$program"
	ended calls.fathom | sed 's/ 0$//' >counted
	same output counted
done

# However calls are left, also without a look at them all the time.
for program in $(built leaves); do
	for overhead in none 5; do
		rm -f calls.fathom
		"$program" >truth
		# shellcheck disable=SC2046 # one option a function
		run 0 run --max-overhead "$overhead" $(sed 's/ .*//; s/^/-f /' truth) -o calls.fathom --no-models -- "$program"
		same truth output
		[ "$overhead" = none ] || continue
		ended calls.fathom >counted
		same truth counted
		[ "$(sqlite3 calls.fathom 'SELECT sum(abandoned) FROM account')" = 0 ] || fail "$(basename "$program"): calls were lost"
		[ "$(sqlite3 calls.fathom "SELECT count(*) FROM throws WHERE (\"return\" IS NULL) <> (\"exit\" = 'thrown')")" = 0 ] ||
			fail "$(basename "$program"): a call that was left has returned something, or another has not"
	done
done

# A crash loses nothing that was measured before it.
program=$build/fixtures/ways-gcc-O2
run 0 run --max-overhead none -q -f recursive -o crash.fathom --no-models -- "$program" crash
run 0 run --max-overhead none -f recursive -o crash.fathom --no-models -- "$program" crash
grep -q 'killed by signal 6' errors || fail "the crash was not reported"
[ "$(sqlite3 crash.fathom 'SELECT count(*) FROM "recursive"')" = 402 ] || fail "samples are missing"
[ "$(sqlite3 crash.fathom 'SELECT count(*) FROM run WHERE ended = "signalled" AND ending = 6')" = 2 ] ||
	fail "the profile does not say how the runs ended"

# Children that the tool inherited from elsewhere are none of its business.
(
	sleep 100 &
	echo $! >sleeper
	exec timeout 60 "$fathom" run -q -f recursive --no-models -- "$program"
) >output 2>errors || fail "status $?, with a child of another origin"
kill "$(cat sleeper)"

# A program that may make no system calls any more is asked for none. It can read no clock either, so it ends without pads.
for program in $(built sealed); do
	for options in '--probes stops --max-overhead none' '--max-overhead none' ''; do
		rm -f calls.fathom
		# shellcheck disable=SC2086
		run 0 run $options -f compare -o calls.fathom --no-models -- "$program"
		grep -q 'exited with status 5' errors || fail "$(basename "$program") was killed"
		grep -qx sorted output || fail "$(basename "$program") printed something else"
		[ "$(sqlite3 calls.fathom 'SELECT abandoned FROM account')" = 0 ] || fail "$(basename "$program"): calls were lost"
		case $options in
		*stops*) all=$(sqlite3 calls.fathom 'SELECT calls FROM account') ;;
		?*) [ "$(sqlite3 calls.fathom 'SELECT calls FROM account')" = "$all" ] || fail "$(basename "$program"): not $all calls" ;;
		esac
	done
done
