#!/bin/sh
# However many features a function has, a sample costs one vectored read a level of pointers, and one at its end.
. "$(dirname "$0")/lib"

BUILD=$build "$top/bench/reads" >output 2>errors
status=$?
[ "$status" -ne 77 ] || { cat output && exit 77; }
[ "$status" -eq 0 ] || fail "bench/reads: status $status"
awk '{ exit !($1 >= 500 && $3 >= 2 && $3 <= 4) }' output || fail "500 features are not read, or need more than four reads a sample"
