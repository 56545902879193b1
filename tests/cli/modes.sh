#!/bin/sh
# A function that behaves in several ways has a case for each, which reads back.
# not sanitized: unit tests make and check models of this kind
. "$(dirname "$0")/lib"

# qsort() of some libraries has a copy of its own.
sorting='\[kind == SORT\] Norm\([48]\*n, 0\);'

for program in "$build"/fixtures/modes-*; do
	rm -f modes.fathom
	run 0 run -q -f handle -m mem --max-overhead none --samples all -o modes.fathom -r modes.ann -- "$program" 300
	grep -qE "$sorting" modes.ann ||
		fail "$(basename "$program"): sorting has no case of its own, $(cat modes.ann)"
	run 0 check modes.ann modes.fathom
	says 'handle.mem: conforms'
	run 0 predict modes.ann handle kind=SORT n=1000
	says '000 bytes'
	run 0 predict modes.ann handle kind=READ n=1000
	says 'handle.mem: 0 bytes'
done
