#!/bin/sh
# What the limit on features left out is said after a run, and not with -q.
. "$(dirname "$0")/lib"

program=$build/fixtures/slow-gcc-O2
run 0 run -f work --max-features 0 -- "$program" 2 1
grep -q 'work: [0-9]* features* beyond the first 0 w.* left out; --max-features sets the limit' errors ||
	fail 'nothing is said of what was cut'
run 0 run -f '*' --max-features 0 -- "$build/fixtures/ways-gcc-O0"
[ "$(grep -c 'left out' errors)" -le 6 ] || fail 'a line for each of many functions'
run 0 run -q -f work --max-features 0 -- "$program" 2 1
[ ! -s errors ] || fail '-q is not quiet'
run 0 run -f work -- "$program" 2 1
! grep -q 'left out' errors || fail 'something was cut that was not'

# What `list` says of one is a sentence too.
run 0 list --features --globals none --max-features 0 "$program" work
says '1 more feature is left out (see --max-features): '
