#!/bin/sh
# alone: it compares times
# not sanitized: it compares times
# A thread's own clock stands still while it is stopped: of calls that a pad begins and a stop ends, or the reverse, and of pads that signals interrupt.
. "$(dirname "$0")/lib"

database() {
	sqlite3 clock.fathom "$1"
}

# near FUNCTION METRIC: its median is that of its twin's time, by the program's own clock, within the resolution that is told, and 2 %. A stop
# costs the program several times that: time of it would be seen.
near() {
	truth=$(sed -n "s/^$1 $turns //p" output | sort -n | awk '{ ns[NR] = $1 } END { print ns[int((NR + 1) / 2)] / 1000 }')
	median=$(database "SELECT $2 FROM $1 WHERE n = $turns ORDER BY $2 LIMIT 1 OFFSET (SELECT count(*) / 2 FROM $1 WHERE n = $turns)")
	within=$(database "SELECT abs($median - $truth) <= max(resolution) + 0.02 * $truth FROM calibration WHERE metric = '$2'")
	[ "$within" = 1 ] || fail "$1: the median of its $2 is $median µs, its twin's $truth µs"
}

spin=$build/fixtures/spin-gcc-O2
# What a stop costs a virtual machine's processors may change between calibration and the run.
attempt() {
	rm -f clock.fathom
	run 0 run --probes pads --max-overhead none --samples all --globals none -m time,cpu -f late -f early -f spin -o clock.fathom --no-models -- "$spin" 300 10 1 10000
	turns=$(awk '$1 == "late" { print $2; exit }' output)
	near late time
	near early time
	near late cpu
	near early cpu
}
five_attempts 'times of calls that a stop begins or ends are true'
[ "$(database 'SELECT count(*) FROM late WHERE stops = 1')" = "$(database 'SELECT count(*) FROM late')" ] ||
	fail 'a call of late() is not one that a pad begins and a stop ends'
[ "$(database 'SELECT sum(calls) - sum(stops) FROM account JOIN function ON function.id = function WHERE name = '\''early'\')" = 0 ] ||
	fail 'a call of early() is not one that a stop begins and a pad ends'

# A call needs its time on a processor: who was stopped or stepped meanwhile has not less. A tick of the clock is less than 1 ns. What it waited
# for a processor is added again: when exactly that was is another matter. When exactly a signal interrupted a call is as certain as when an int3 did.
rm clock.fathom
run 0 run --probes pads --max-overhead none --samples all -f inner -f outer -o clock.fathom --no-models -- "$build/fixtures/stepped-gcc-O2"
[ "$(database 'SELECT sum(calls) FROM account' | grep -c .)" = 1 ] || fail 'nothing was measured'
[ "$(database 'SELECT count(*) FROM "inner" WHERE time + coalesce(waited_ns, 0) / 1000.0 < 9')" = 0 ] || fail 'calls seem shorter than they were on a processor'
[ "$(database 'SELECT count(*) FROM "outer" AS o WHERE time + coalesce(waited_ns, 0) / 1000.0 + 0.01 + (SELECT 3 * ended FROM pad_calibration) < (SELECT
	sum(time + coalesce(waited_ns, 0) / 1000.0) FROM "inner" WHERE parent = o.id)')" = 0 ] ||
	fail 'callees seem longer than their caller'
[ "$(database 'SELECT count(*) FROM account WHERE time_ns < 9000 * calls')" = 0 ] || fail 'their sum is less than they were on a processor'
