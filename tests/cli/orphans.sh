#!/bin/sh
# Tracer, supervisor, both or all are killed: a program with pads lives on, with right results, whether its threads ask all the time for room
# for records, or it makes threads and children that nobody sees, or jumps, or all pointers lead nowhere; and is as before, unless all were
# killed. FATHOM_FULL=1 does so 200 times.
# alone: its threads take all processors
# not sanitized: it is about signals, and long
. "$(dirname "$0")/lib"

count=4
[ -z "${FATHOM_FULL:-}" ] || count=200
orphans() {
	timeout 1200 python3 "$top/tests/cli/orphans.py" "$fathom" $count "$@" || fail "$*"
}
orphans both leaf,deep "$build/fixtures/guarded-gcc-O2" 8
for way in '' forks jumps; do
	# shellcheck disable=SC2086 # no argument, or one
	orphans both leaf,pick "$build/fixtures/orphans-gcc-O2" $way
done
for victims in tracer supervisor both all; do
	orphans $victims look,leaf "$build/fixtures/orphans-gcc-O2" faults
done
exit 0
