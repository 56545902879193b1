#!/bin/sh
# What the machine does is a feature if it is asked for, and has no column else.
. "$(dirname "$0")/lib"

program=$build/fixtures/paced-gcc-O2
run 0 list --features "$program" work
says system.load
! grep -q 'system.processors' output || fail 'what nobody asked for is read'
run 0 list --features --feature system.processors --feature system.memory_left "$program" work
says 'int   system.processors  processors that the thread may run on'
says system.memory_left
run 2 list --features --feature system.nothing "$program" work
complains "no feature 'system.nothing'"

run 0 run -q -f work --feature system.processors --feature system.network -o here.fathom --no-models -- "$program" 0.5
run 0 export --csv -f work -o here.csv here.fathom
python3 - <<'PYTHON' || fail 'the values are not those of the machine'
import csv, os
rows = list(csv.DictReader(open("here.csv")))
assert rows and {float(row["system.processors"]) for row in rows} == {len(os.sched_getaffinity(0))}
assert rows[0]["system.network"] == "", rows[0]
PYTHON
echo 'work.time { features: float p = system.processors; annotations: [p > 0] Norm(1, 1e9); }' >asked.ann
run 0 check asked.ann -- "$program" 0.5
says '0 of 3 tests violated'
