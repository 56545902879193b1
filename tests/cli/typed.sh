#!/bin/sh
# Every name that is printed can be typed: expressions, short names, enumerators and classes, in conditions and print.
. "$(dirname "$0")/lib"
. "$top/tests/cli/session_lib"

# types FIXTURE: conditions on features of all functions, by their expressions; every fourth, for time.
types() {
	run 0 list --features --json "$build/fixtures/$1"
	python3 -c '
import json, sys
n = 0
for function in json.load(sys.stdin)["functions"]:
    if function["unmeasurable"] or "<" in function["name"]:
        continue
    for feature in function["features"]:
        n += feature["absence"] is None
        if feature["absence"] is None and n % 4 == 0:
            print("probe", function["name"], "if", feature["expression"] + "\ndelete")
sys.exit(n < 80)' <output >typed
	[ -s typed ] || fail "$1: no features"
	timeout 120 "$fathom" -batch -x typed "$build/fixtures/$1" >output 2>errors </dev/null ||
		fail "$1: a feature cannot be typed"
}
types dwarf/cc-O0
types dwarf/c-O2

session 0 "$parley" 'probe work if size > 1,000 && n < 400,000' 'delete' 'probe work stop if colour == RED && size > 20 && box->size > 3' 'run work 30' 'print colour' 'print size' \
	'print box->size' 'print n' 'kill'
order 'begins' 'n = 11' 'box->size = 22' 'box->colour = RED' 'box->colour = RED' 'box->size = 22' 'box->size = 22' 'n = 11'
lacks 'system.'
session 2 "$parley" 'probe work if box > 3'
complains 'box is a pointer: of it, conditions only know whether it is 0'
