#!/bin/sh
# Features that users write have the values that C gives the same text: by pads, by stops, in annotations and in checks.
. "$(dirname "$0")/lib"
. "$top/tests/cli/session_lib"

# values PROGRAM FUNCTION OPTION...: its table, with all that it computes itself as features.
values() {
	program=$1
	function=$2
	shift 2
	"$program" names >names
	while IFS= read -r name; do
		set -- "$@" --feature "$name"
	done <names
	rm -f values.fathom
	run 0 run -q --samples all --max-overhead none -f "$function" -o values.fathom "$@" -- "$program"
	"$program" >truth
	run 0 export --csv -f "$function" -o values.csv values.fathom
	python3 - <<'PYTHON' || fail "$program $*: values differ"
import csv, math
names = open("names").read().splitlines()
truth = [line.rstrip("\t").split("\t") for line in open("truth").read().splitlines()]
rows = list(csv.DictReader(open("values.csv")))
assert len(rows) == len(truth) > 50, (len(rows), len(truth))
for i, (row, expected) in enumerate(zip(rows, truth)):
    for name, value in zip(names, expected):
        cell = {"true": "1", "false": "0"}.get(row[name], row[name])
        try:
            cell = float(cell)
        except ValueError:
            cell = math.nan
        assert (value == "-") == math.isnan(cell), (i, name, value, row[name])
        assert value == "-" or float(value) == cell, (i, name, value, row[name])
PYTHON
}

for level in O0 O2; do
	for way in stops pads; do
		values "$build/fixtures/written-$level" work --probes "$way" -m mem
		values "$build/fixtures/written-classes-$level" Kennel::work --probes "$way" -m mem
	done
done
