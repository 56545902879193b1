#!/bin/sh
# Every way out of a call, threads, signals and children: the fixture counts its calls, and so does fathom.
. "$(dirname "$0")/lib"

functions="coroutine_step in_child in_handler in_thread interrupted jumps_out last raises recursive tail"
for program in $(built ways); do
	rm -f ways.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run --max-overhead none $(printf -- '-f %s ' $functions) -o ways.fathom -r report -- "$program" 5
	grep -q 'exited with status 5' errors || fail "the program's status was not reported"
	grep -q 'jumps_out: 10 calls were not seen to return' errors || fail "lost calls were not mentioned"
	grep -q '^children 10$' output || fail "$(basename "$program"): children were harmed"
	grep -v '^children' output >printed
	sqlite3 -separator ' ' ways.fathom "
		SELECT name, calls FROM account JOIN function ON function.id = function ORDER BY name" >counted
	same printed counted
	deepest=$(sqlite3 ways.fathom "
		WITH RECURSIVE up(id, depth) AS (
			SELECT id, 1 FROM 'recursive' WHERE parent IS NULL
			UNION ALL SELECT call.id, depth + 1 FROM 'recursive' AS call JOIN up ON parent = up.id)
		SELECT max(depth) FROM up")
	[ "$deepest" = 201 ] || fail "the callers of a recursion are $deepest deep, not 201"
done

# What `fathom` counted, a line a function: counted COLUMNS
counted() {
	sqlite3 -separator ' ' calls.fathom "
		SELECT replace(name, ' [clone .isra.0]', ''), $1
		FROM account JOIN function ON function.id = function ORDER BY name" >counted
}

for program in $(built jumps); do
	rm -f calls.fathom
	run 0 run --max-overhead none -f by_object -f by_switch -f dispatch -f in_loop -f spins -f through -o calls.fathom -r report \
		-- "$program"
	counted calls
	same output counted
	[ "$(sqlite3 calls.fathom 'SELECT count(*) FROM spins WHERE n = 3')" = 0 ] ||
		fail "$(basename "$program"): calls that were left are taken for others that came back"
done

for program in $(built throws); do
	rm -f calls.fathom
	run 0 run --max-overhead none -f 'shop::*::total' -f 'shop::*::add' -f 'shop::t*' -o calls.fathom -r report \
		-- "$program"
	counted 'calls, abandoned'
	same output counted
done

# A crash loses nothing that was measured before it.
program=$build/fixtures/ways-gcc-O2
run 0 run --max-overhead none -q -f recursive -o crash.fathom -r report -- "$program" crash
run 0 run --max-overhead none -f recursive -o crash.fathom -r report -- "$program" crash
grep -q 'killed by signal 6' errors || fail "the crash was not reported"
[ "$(sqlite3 crash.fathom 'SELECT count(*) FROM "recursive"')" = 402 ] || fail "samples are missing"
[ "$(sqlite3 crash.fathom 'SELECT count(*) FROM run WHERE ended = "signalled" AND ending = 6')" = 2 ] ||
	fail "the profile does not say how the runs ended"

# Children that the tool inherited from elsewhere are none of its business.
(
	sleep 100 &
	echo $! >sleeper
	exec timeout 60 "$fathom" run -q -f recursive -r report -- "$program"
) >output 2>errors || fail "status $?, with a child of another origin"
kill "$(cat sleeper)"

# A program that may make no system calls any more is asked for none.
for program in $(built sealed); do
	rm -f calls.fathom
	run 0 run -f compare -o calls.fathom -r report -- "$program"
	grep -q 'exited with status 5' errors || fail "$(basename "$program") was killed"
	grep -qx sorted output || fail "$(basename "$program") printed something else"
	[ "$(sqlite3 calls.fathom 'SELECT calls > 200 AND abandoned = 0 FROM account')" = 1 ] ||
		fail "$(basename "$program"): calls were lost"
done
