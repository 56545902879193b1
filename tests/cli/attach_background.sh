#!/bin/sh
# A shell has its background commands ignore SIGINT. attach does not: one signal ends it, whenever it comes, at the latest when the probes are
# out again, and the program lives on.
. "$(dirname "$0")/lib"

"$build/fixtures/interrupt-gcc-O2" ignores 600 >program 2>&1 &
program=$!
trap 'kill -9 $program $tool 2>missing; rm -rf "$scratch"' EXIT
tool=

# ended WHEN: it has ended by the signal that was sent then
ended() {
	tries=0
	while [ "$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$tool/status" 2>missing || :)" != Z ] && kill -0 "$tool" 2>missing; do
		tries=$((tries + 1))
		[ "$tries" -lt 1200 ] || fail "SIGINT $1 was lost"
		sleep 0.05
	done
	wait "$tool"
	kill -0 "$program" || fail "the program has not survived SIGINT $1"
}
begin() {
	rm -f p.fathom
	"$fathom" attach -f work -o p.fathom "$program" >output 2>errors </dev/null &
	tool=$!
}
until_child() {
	while ! child=$(pgrep -P "$tool"); do
		kill -0 "$tool" || fail 'it has ended by itself'
	done
}

# As soon as there is a second process: nothing is attached to yet.
for i in 1 2 3; do
	begin
	until_child
	kill -INT "$tool"
	ended "at its start ($i)"
done

# To the second process itself.
begin
until_child
while [ "$(cat "/proc/$child/comm")" != supervisor ]; do
	:
done
kill -INT "$child"
ended 'to its supervisor'

# While it measures: the results are there.
begin
while ! grep -q 'TracerPid:.*[1-9]' "/proc/$program/status"; do
	:
done
kill -INT "$tool"
ended 'while it attaches or measures'
[ -f p.fathom ] || fail 'there is no profile'
