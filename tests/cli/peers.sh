#!/bin/sh
# The comparison with other tools runs: functions are found as by gdb, and least squares are those of R, where it is
# installed.
. "$(dirname "$0")/lib"

BUILD=$build "$top/bench/peers" --turns 1 --only naming --only fitting --binary "$build/fathom" lsq_reduce >output 2>errors
status=$?
[ "$status" -eq 0 ] || fail "bench/peers: status $status"
grep -q '^| finding a function | s | gdb | [0-9.]* | [0-9.]* |' output || fail "the table has no line for gdb"
command -v Rscript >/dev/null || exit 0
grep -q '^\* R: .*: within 1e-06\.$' output || fail "it is not said that the coefficients are those of R"
