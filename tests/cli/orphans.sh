#!/bin/sh
# Tracer and supervisor are killed at once: a program with pads makes threads and children that nobody sees, jumps, and lives on, with
# right results. FATHOM_FULL=1 does so 200 times.
# alone: its threads take all processors
# not sanitized: it is about signals, and long
. "$(dirname "$0")/lib"

count=4
[ -z "${FATHOM_FULL:-}" ] || count=200
for way in '' forks jumps; do
	# shellcheck disable=SC2086 # no argument, or one
	timeout 1200 python3 "$top/tests/cli/orphans.py" "$fathom" $count "$build/fixtures/orphans-gcc-O2" $way || fail "$way"
done
exit 0
