#!/bin/sh
# A pool of threads that throw, have a timer and get signals is attached to again and again, and is as before each time, however the measurement
# ends: by itself, signals, SIGKILL, the end of the terminal, or out of memory. FATHOM_FULL=1 does so 200 times. More programs: bench/attach.
# not sanitized: it is about signals, and long
. "$(dirname "$0")/lib"

cycles=12
[ -z "${FATHOM_FULL:-}" ] || cycles=200
BUILD=$build "$top/bench/attach" --programs pool "$cycles" >output || fail 'bench/attach'
says "$cycles cycles, 0 harmed"
grep -q 'ended by terminal: [1-9]' output || fail 'no terminal was closed'

# A measurement that fails, as its profile cannot be written, is noticed.
(
	ulimit -f 8 # 4 KiB
	BUILD=$build "$top/bench/attach" --programs pool --endings for 1
) 2>&1 | cat >output
says 'fathom ends with status 2'
