#!/bin/sh
# While a program is measured its threads become more urgent: so does the tracer that they wait for, or it says that it may not.
. "$(dirname "$0")/lib"

nobody_can_run "$build/fixtures/pool" && command -v renice chrt >/dev/null || {
	echo 'only root makes a program more urgent'
	exit 77
}

begun=$(nice) # of this test

tracer() {
	sed -n 's/^TracerPid:[[:space:]]*//p' "/proc/$program/status"
}
# Of the tracer: 20 and nice(1), or minus one and the real-time priority.
priority() {
	sed 's/.*) //' "/proc/$(tracer)/stat" | cut -d ' ' -f 16
}
wait_for() {
	for _ in $(seq 3000); do
		! eval "$1" || return 0
		sleep 0.02
	done
	kill "$program"
	fail "$2"
}
# begin PROBES [WORD...]: the pool and its measurement, both five less urgent than this test, by that command
begin() {
	probes=$1
	shift
	rm -f "$nobodys/$probes.fathom"
	"$@" nice -n 5 "$nobodys/pool" 2 >printed &
	program=$!
	wait_for '[ "$(readlink "/proc/$program/exe")" = "$nobodys/pool" ]' 'nothing is started'
	"$@" nice -n 5 "$nobodys/fathom" attach -f job --no-models --probes "$probes" -o "$nobodys/$probes.fathom" "$program" >output 2>errors &
	tool=$!
	wait_for '[ "$(tracer)" != 0 ]' 'nobody attaches'
}
finish() {
	kill "$program"
	wait "$tool" || fail "status $?"
	grep -qx 'ticks some, done some, wrong 0' printed || fail "the program was harmed: $(cat printed)"
}

for probes in pads stops; do
	begin "$probes" env
	wait_for '[ "$(priority)" -eq $((begun + 25)) ]' 'it is not as urgent as its program'
	renice $((begun + 2)) -p "$program" >renice.log
	wait_for '[ "$(priority)" -eq $((begun + 22)) ]' 'it is less urgent than its program has become'
	if chrt -f -p 3 "$program" 2>chrt.log; then
		wait_for '[ "$(priority)" -eq -4 ]' 'it is less urgent than its program, which is real-time'
	fi
	finish
done

begin stops $as_nobody
renice $((begun + 2)) -p "$program" >renice.log
wait_for 'grep -q "less urgent (nice $((begun + 5)), the program has nice $((begun + 2))) and may not become as urgent" errors' 'it is not told'
finish
[ "$(grep -c 'less urgent' errors)" -eq 1 ] || fail 'it is told twice'
