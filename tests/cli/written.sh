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

# What is written is printed with the blanks of other features, and one that the search finds is that one.
program=$build/fixtures/written-O2
run 0 list --features --feature '( n+1 )*2' --feature 'base -> kind' --feature '((list_type*)self)->next->next->count' "$program" work
says '(n + 1) * 2  computed'
[ "$(grep -c 'base->kind' output)" -eq 1 ] || fail 'a feature is there twice'
says '((list_type *)self)->next->next->count  at *(*(rdi+32)+32)+16'

# Depth does not matter to what is asked for, nor does the number.
run 0 list --features --max-depth 0 --max-features 1 --feature 'base->kind' "$program" work
says 'base->kind'

# A function that cannot have it goes without, and a note says why; if none can, nothing runs.
run 0 list --feature '((struct list *)self)->count' "$program"
complains "'((struct list *)self)->count' is not read in"
complains 'self is no variable that is known here'
refused() {
	run 2 run -f work --feature "$1" -o refused.fathom -- "$program"
	complains "work has no feature '$1': $2"
	[ ! -e refused.fathom ] || fail "$1: a profile was made"
}
run 2 run -f call --feature 'local + n' -- "$build/fixtures/written-O0"
complains "call has no feature 'local + n': local is a local variable, which has no value yet when a call begins"
refused '((struct list *)self)->size' 'no member size in struct list'
refused '((struct lost *)self)->size' 'there is no type struct lost'
refused 'self->count' 'void has no members'
refused 'n +' 'an operand is missing'
refused 'n n' "an operator is missing at 'n'"
refused '*n' 'int is no pointer'
refused '((struct list *)self)->weight < 2' 'floating-point numbers are only added, subtracted, multiplied and divided'
refused '((struct list *)self)->grid[3][0]' 'the array has 3 elements'
refused '(struct list *)self' 'it is a pointer, not a number: compare it with 0, or name what it points to'
refused 'return + n' 'what a call returns is not known together with what it was called with'
refused '3 + 4' 'it names no variable'
refused 'n && m' "&& and || cannot be written: take & or | of comparisons, at '&& m'"

# Annotations name it, and whoever uses them reads it again.
law='((struct list *)self)->count'
run 0 run -q --samples all --max-overhead none -f work -m mem --feature "$law" -o law.fathom -r law.ann -- "$program"
grep -qF "= $law;" law.ann || { cat law.ann && fail 'the law does not name what it is of'; }
run 0 check law.ann -o checked.fathom -q --samples all --max-overhead none -- "$program"
says 'work.mem: conforms'
run 0 export --csv -f work -o checked.csv checked.fathom
head -n 1 checked.csv | grep -qF "$law" || fail 'check has not read it again'
run 0 predict law.ann work 'self != 0=1' "$law=50"
says 'work.mem: 8000 '

# In a session it is of one function, from the next launch on.
session 2 "$program" "feature work $law" 'probe work' 'metric mem' 'feature work self->count'
complains "work has no feature 'self->count': void has no members"
session 2 "$program" 'feature work'
complains 'of which function, and which?'
session 0 "$program" "feature work $law" 'probe work' 'metric mem' 'run' 'annotate work'
says "= $law;"
