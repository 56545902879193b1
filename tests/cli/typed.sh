#!/bin/sh
# Every name that is printed can be typed: expressions, short names, enumerators and classes, in conditions and print.
# not sanitized: what reads names is fuzzed with sanitizers, and this is long
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

# So can what annotations print, in all commands that take names: short names, equal features, those that never varied, conditions.
walk() {
	run 0 run -q --samples all --max-overhead none -o walk.fathom "$@"
	timeout 300 python3 "$top/tests/cli/typed_walk.py" "$fathom" "$walked" walk.fathom >outcome 2>errors || fail "what $walked printed is refused"
	rm -f walk.fathom walk.again
}
walked=$build/fixtures/texts
walk --strings -f work -- "$walked"
grep -q "^the explorer's: ." outcome || fail 'the explorer shows no names'
"${CXX:-g++}" -g -O2 "$top/examples/orders.cpp" -o orders || fail 'cannot compile'
walked=./orders
walk -f 'orders.cpp:*' -- "$walked"
walked=$build/fixtures/containers-gcc-O2
walk -m mem -f work -f look -- "$walked"

# What is pinned is used, what is excluded is not; what nobody has is refused.
{
	echo 'function,time,list->size,m'
	for n in $(seq 40); do echo "f,$((3 * n + n % 2)),$n,$n"; done
} >two.csv
run 0 import -q -o two.fathom two.csv
run 0 annotate -q two.fathom
kept=$(sed -n 's/.*Norm(.*\*\([a-z_]*\).*/\1/p' output)
for pin in 'list->size size' 'm m' 'size size'; do
	run 0 annotate -q --pin "${pin% *}" two.fathom
	says "int ${pin#* } = "
done
run 0 annotate -q --exclude "$kept" two.fathom
! grep -q '\*' output || fail 'an excluded feature, or its equal, is used'
run 0 diff --json two.fathom two.fathom
says "*$kept, "
run 0 diff --json --exclude "$kept" two.fathom two.fathom
! grep -qF "*$kept, " output || fail 'diff uses an excluded feature'
# What lies between two numbers of which one is never above the other goes by its expression and its name.
awk 'BEGIN {
	print "function,time,r->tail,r->head"
	for (n = 0; n < 60; n++) { tail = n * 37 % 60; d = 1 + n * 7 % 50; printf "f,%g,%d,%d\n", 3 * d + n % 2 / 10, tail, tail + d }
}' >range.csv
run 0 import -q -o range.fathom range.csv
run 0 annotate -q range.fathom
says 'int head_tail = r->head - r->tail;'
for name in 'r->head - r->tail' head_tail; do
	run 0 annotate -q --pin "$name" range.fathom
	says 'int head_tail = r->head - r->tail;'
	run 0 annotate -q --exclude "$name" range.fathom
	! grep -q head_tail output || fail "$name is not excluded"
	run 0 diff -q --exclude "$name" range.fathom range.fathom
	run 0 export --csv --exclude "$name" range.fathom
done
run 2 export --csv --exclude nothing range.fathom
complains 'no function has such a feature'
run 2 diff --pin siz two.fathom two.fathom
complains 'no function has such a feature'
run 2 annotate -q --pin siz two.fathom
complains 'no function has such a feature'
run 2 check --pin siz --budget 'f.time <= 1 s' two.fathom
complains 'no function has such a feature'
