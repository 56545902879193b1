#!/bin/sh
# Functions are modelled on all processors; the annotations are those that one processor makes, in the same order.
. "$(dirname "$0")/lib"

run 0 run -q -f '*' -m mem,time --max-overhead none --samples 40 -o costs.fathom -r run.ann -- "$build/fixtures/costs-spinning-gcc-O2" 30 1 /dev/null
run 0 annotate costs.fathom
cp output all
[ "$(grep -c '^}' all)" -gt 10 ] || fail "few functions: $(cat all)"
timeout 120 taskset -c "$(sed -n 's/^Cpus_allowed_list:\t*\([0-9]*\).*/\1/p' /proc/self/status)" "$fathom" annotate costs.fathom >one 2>errors ||
	fail "annotate on one processor"
same all one
run 0 annotate --json costs.fathom
cp output all.json
run 0 annotate --json costs.fathom
same all.json output
