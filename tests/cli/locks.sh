#!/bin/sh
# What calls wait for locks, conditions and semaphores, and how long they hold locks: the fixture keeps an account of its own.
# alone: it compares times
# not sanitized: it compares times
. "$(dirname "$0")/lib"

functions="waits_for_mutex waits_to_read waits_to_write waits_for_spin_lock gives_up_mutex gives_up_reading only_tries
	tries_and_has waits_for_condition gives_up_condition waits_for_semaphore gives_up_semaphore waits_in_c11 waits_in_cxx
	shares_in_cxx waits_for_cxx_condition takes_twice takes_often overlaps releases_for_caller works_under_lock takes_for_caller
	asks_callee goes_deep takes_and_goes_deep does_nothing"

# The answer to a query, on one line: ask QUERY
ask() {
	sqlite3 locks.fathom "$1" | tr '\n' ' '
}

# A process that is attached to while it has a lock: its release shows that it did. That of the last calls may come too late.
for program in "$build"/fixtures/locks-gcc-O2; do
	for probes in stops pads; do
		rm -f locks.fathom
		"$program" keep &
		process=$!
		sleep 0.1
		run 0 attach -q --probes $probes -f works_in_lock -m time,wait,hold --max-overhead none --for 0.5 -o locks.fathom --no-models $process
		kill $process
		wait $process 2>ended
		[ "$(ask 'SELECT count(*) > 5, count(hold) = count(*), sum(hold < 0.9 * time) <= 4 FROM works_in_lock')" = '1|1|1 ' ] ||
			fail "$program, $probes: what is held by a process that is attached to: $(ask 'SELECT time, hold FROM works_in_lock')"
	done
done

attempt() {
	rm -f locks.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run --probes $probes $(printf -- '-f %s ' $functions) -m time,wait,hold,self.wait,self.hold --max-overhead none \
		-o locks.fathom --no-models -- "$program"
	grep '^truth' output >truth
	[ "$(wc -l <truth)" = 54 ] || fail 'the program has done something else'
	python3 "$top/tests/cli/locks_check.py" locks.fathom truth || fail "$program: that is not so"
	[ "$(ask 'SELECT wait FROM only_tries')" = '0.0 ' ] || fail 'an attempt has waited'
	# Not corrected, each of these would be off by what a stop costs, some µs.
	[ "$(ask 'SELECT wait < 200 AND hold < 200 FROM takes_often')" = '1 ' ] || fail 'locks that are free'
	[ "$(ask 'SELECT "self.wait" < 2000 FROM asks_callee')" = '1 ' ] || fail 'a callee waits for its caller'
	[ "$(ask 'SELECT abs("self.hold" - 5000) < 3000 FROM asks_callee')" = '1 ' ] || fail 'what a caller holds'
	[ "$(ask 'SELECT "self.hold" < 2000 FROM takes_and_goes_deep')" = '1 ' ] || fail 'what a recursion holds'
}

for program in "$build"/fixtures/locks-*; do
	for probes in stops pads; do
		five_attempts "$program, $probes: waits and holds are not the fixture's own"
	done
done

# Calls that are left while they wait or hold, and a child that has its parent's lock. What a wait left behind is not known.
attempt() {
	rm -f locks.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run --probes $probes --follow-fork $(printf -- '-f %s ' holds_other waits_in_vain throws_under_lock catches jumps_with_lock \
		lands releases_in_child) -m wait,hold,self.hold --max-overhead none -o locks.fathom --no-models -- "$program" cut
	for query in "count(*), count(wait), count(hold) FROM waits_in_vain:1|0|0" "count(*), count(hold) FROM holds_other:4|3" \
		"min(round(hold / 5000)), max(round(hold / 5000)) FROM holds_other:1.0|1.0" \
		"min(round(hold / 5000)), max(round(hold / 5000)) FROM throws_under_lock:1.0|1.0" \
		'round(hold / 5000), round("self.hold" / 5000) FROM catches:1.0|0.0' "round(hold / 5000) FROM jumps_with_lock:1.0" \
		'round(hold / 5000), round("self.hold" / 5000) FROM lands:2.0|1.0' "round(hold / 5000) FROM releases_in_child:1.0"; do
		[ "$(ask "SELECT ${query%:*}")" = "${query##*:} " ] ||
			fail "$program, $probes: ${query%:*}: $(ask "SELECT ${query%:*}"), not ${query##*:}"
	done
}
for program in "$build"/fixtures/locks-*O2; do
	for probes in stops pads; do
		five_attempts "$program, $probes: what is held by calls that are left"
	done
done

# Eight threads that fight for one mutex, and hold it for 1 ms each. What stops took is in the program's account too: by pads two of up to 0.03 ms
# a call; by stops those of whoever holds the mutex, for which seven wait, and which are in no wait. The least that 160 calls wait is
# 20 ms times 7 + 6 + ... + 1, if one thread after the other does all of its own. What is held has in it what fathom took of its processor meanwhile.
attempt() {
	rm -f locks.fathom
	run 0 run --probes $probes -f contends -m time,wait,hold --max-overhead none -o locks.fathom --no-models -- "$program" contend 8 20 1000
	own=$(sed -n 's/^contended 160 //p' output)
	echo "own account: $own µs, wait: $(ask 'SELECT sum(wait) FROM contends')µs"
	waited=$(ask 'SELECT ifnull(sum(waited_ns), 0) / 1000 FROM contends') # for a processor: in no wait and no hold, but in the account
	least="0.95 * $own - $waited"
	[ $probes = pads ] || least="0.95 * 560000 - $waited"
	[ "$(ask "SELECT count(wait) = 160 AND sum(wait) <= 1.05 * $own AND sum(wait) >= $least FROM contends")" = '1 ' ] || fail 'the waits'
	[ "$(ask "SELECT count(hold) = 160 AND avg(hold) BETWEEN 950 - $waited / 160 AND 1050 FROM contends")" = '1 ' ] || fail 'the holds'
}
for program in "$build"/fixtures/locks-gcc-O2*; do
	for probes in stops pads; do
		five_attempts "$program, $probes: eight threads do not wait as long as they say"
	done
done

# A program of which nobody knows which code is that of locks. Absent is not 0.
cp "$build/fixtures/locks-gcc-O2-static" bare
nm bare | sed -n 's/.* [A-Za-z] \(_*\(pthread\|sem\)_.*\)/\1/p' >symbols
objcopy --strip-symbols=symbols bare
rm -f locks.fathom
run 0 run -f takes_often -m wait,hold -o locks.fathom --no-models -- ./bare
grep -q 'wait and hold are not known' errors || fail 'nobody says that nothing is known of locks'
[ "$(ask 'SELECT count(*), count(wait), count(hold) FROM takes_often')" = '1|0|0 ' ] || fail 'values that nobody knows'

# A profile without these metrics says so.
rm -f locks.fathom
run 0 run -f only_tries -o locks.fathom --no-models -- "$program"
[ "$(ask 'SELECT count(*) FROM variable WHERE name IN ("wait", "hold")')" = '0 ' ] || fail 'metrics that nobody wanted'
