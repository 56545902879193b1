#!/bin/sh
# What a lock's holder was stopped for is no time of those that wait for it, nor of those that wait for them.
# alone: it compares times
# not sanitized: it compares times
. "$(dirname "$0")/lib"

rounds=15

# middle QUERY: the median of its numbers
middle() {
	sqlite3 holder.fathom "$1" | sort -g | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'
}

# The program's own clocks say what was to be waited for before the stops began. In a round there are 1000 at least, whose time is known; a stop
# costs some more than that, which is calibrated, and off by less than half. If they were not subtracted, it would be off by all of it.
attempt() {
	rm -f holder.fathom
	# shellcheck disable=SC2046 # one option a function
	run 0 run -q --no-models --probes "$probes" $(printf -- '-f %s ' $functions) -m "$metrics" --max-overhead none --samples all -o holder.fathom \
		-- "$build/fixtures/holder" $rounds 1000
	grep '^truth' output >truth
	stopped=$(sqlite3 holder.fathom "SELECT stopped_ns / 1000 / $rounds FROM account JOIN function ON function.id = function WHERE name = 'stopped'")
	for waiter in waits:3 waits_behind:4; do
		truth=$(cut -d ' ' -f "${waiter##*:}" truth | sort -g | sed -n "$(((rounds + 1) / 2))p")
		for metric in time $(echo "$metrics" | grep -o wait); do
			told=$(middle "SELECT $metric FROM ${waiter%:*}")
			echo "${waiter%:*}, $metric: $told µs, truth $truth; stopped for $stopped"
			awk "BEGIN { off = $told - $truth; exit !(off < $stopped / 2 && off > -$stopped / 2) }" || fail 'the stops are in it'
		done
	done
}

for probes in stops pads; do
	metrics=time,wait
	functions='holds waits waits_behind stopped'
	five_attempts "$probes: who waits is charged with the holder's stops"
	# Its holder took the lock while nothing of it was measured.
	metrics=time,wait,hold
	functions='waits waits_behind stopped'
	five_attempts "$probes: a holder that is not measured"
done
