#!/bin/sh
# not sanitized: CPython's debug information is long, and reading it is what other tests do.
# What an interpreter's function costs is told for each function that it interprets, by name.
. "$(dirname "$0")/lib"

python=$(command -v python3.11d) || {
	echo 'there is no CPython 3.11 with debug information (python3.11-dbg)'
	exit 77
}
cat >costs.py <<'END'
def small(n): return len(bytes(1000000))
def large(n): return len(bytes(5000000))
def name_of_twenty_one_a(n): return n
def name_of_twenty_one_b(n): return n
def grün(n): return len(bytes(3000000))
for i in range(100):
    list(map([small, large, name_of_twenty_one_a, name_of_twenty_one_b, grün][i % 5], [i]))
END
for way in pads stops; do
	rm -f a.fathom
	run 0 run -q --no-models --probes $way --globals none --max-depth 1 --max-overhead none --samples all -m mem -f _PyEval_EvalFrameDefault -o a.fathom \
		-- "$python" -I -S costs.py
	run 0 export --csv -o a.csv a.fathom
	python3 - <<'END' || fail "$way: names differ"
import csv

costs = {}
for row in csv.DictReader(open("a.csv")):
    costs.setdefault(row["python.function"], []).append(float(row["mem"]))
for name, least in ("small", 1e6), ("large", 5e6), ("name_of_...ty_one_a", 0), ("name_of_...ty_one_b", 0):
    mine = costs[name]
    assert len(mine) == 20 and all(least <= cost < least + 1000 for cost in mine), (name, mine)
assert sum(cost > 3e6 and cost < 4e6 for cost in costs[""]) == 20  # a name that is not ASCII is absent
END
done
run 0 annotate -q -m mem --where 'python.function == "large"' a.fathom
says '20 of'
run 0 list --features --globals none --max-depth 1 "$python" _PyEval_EvalFrameDefault
says 'python.function'
