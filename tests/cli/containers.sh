#!/bin/sh
# Containers are named as programmers write them, and have the values that the program and gdb say.
. "$(dirname "$0")/lib"

# rows FILE CSV: the rows of the table are those of FILE in the columns that `names` has.
rows() {
	python3 - "$1" "$2" <<'PYTHON' || fail "$program: values differ"
import csv, math, sys
names = open("names").read().splitlines()
truth = [line.rstrip("\t").split("\t") for line in open(sys.argv[1]).read().splitlines()]
rows = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == len(truth) >= 20, (len(rows), len(truth))
for i, (row, expected) in enumerate(zip(rows, truth)):
    for name, value in zip(names, expected):
        cell = {"true": "1", "false": "0"}.get(row[name], row[name])
        cell = float(cell) if cell else math.nan
        assert (value == "-") == math.isnan(cell), (i, name, value, row[name])
        assert value == "-" or float(value) == cell, (i, name, value, row[name])
PYTHON
}

# By pads and by stops, of all builds.
for program in $(built containers); do
	"$program" names >names
	"$program" | grep -v look >truth
	"$program" | sed -n 's/^look\t//p' >looks
	set -- # elements are no features unless somebody asks for them
	while IFS= read -r name; do
		set -- "$@" --feature "$name"
	done <names
	ways=pads
	[ "${program##*-gcc-}" = "$program" ] || ways='pads stops'
	for way in $ways; do
		rm -f a.fathom
		run 0 run -q --samples all --max-overhead none --probes $way -m mem -f work -f look "$@" -o a.fathom -- "$program"
		run 0 export --csv -f work -o work.csv a.fathom
		rows truth work.csv
		! grep -q '_M_\|__begin_' work.csv || fail "$program: internals are features"
		run 0 export --csv -f look -o look.csv a.fathom
		printf 'items.size()\nview.length()\n' >names
		rows looks look.csv
		"$program" names >names
	done

	# What is no container has no size, and the reason is told; an end of storage that was never written says nothing of the size.
	rm -f b.fathom
	run 0 run -q --samples all --max-overhead none -m mem -f broken -o b.fathom -- "$program" broken
	run 0 export --csv -f broken -o broken.csv b.fathom
	python3 -c '
import csv
rows = list(csv.DictReader(open("broken.csv")))
sizes = ["line.size()"] + ["wrecks.%s()" % name for name in ("line.size", "stock.size", "marks.size", "index.size", "title.length")]
assert [[row[size] for size in sizes] for row in rows] == [[""] * 6] * 3, rows
assert [row["items.size()"] for row in rows] == ["", "", "4"] and rows[2]["items.capacity()"] == "", rows' ||
		fail "$program: a size of no vector"
	sqlite3 b.fathom .dump | grep -q corrupt || fail "$program: no reason"
done

# Tuples and arrays are shown by their elements alone.
: >script
begin=run
for n in 0 3 17; do
	printf 'break work if shop.items.size() == %d\n%s\nprint shop.triple\nprint shop.sides\nprint shop.discount\nprint shop.answer\ndelete\n' $n $begin >>script
	begin=continue
done
echo kill >>script
for program in $(built containers); do
	run 0 --max-overhead=none -batch -x script "$program"
	sed -n 's/^shop\.\(triple\|sides\|discount\|answer\) = //p' output | tr '\n' ';' >shown
	for words in '{0, 0.5, {size 2: 0, 0}};{0, 1, 2};{(empty)};' '{3, 3.5, {size 2: 3, 3}};{3, 4, 5};{3};{0, (empty), (empty)};' \
		';{17, 18, 19};' ';{(empty), (empty), "text"};'; do
		grep -qF -- "$words" shown || fail "$program: not shown: $words"
	done
done

# agrees PROGRAM on|off: gdb says the same, by libstdc++'s functions for it, and by calls of the program's own if it may call
# them. The former count what was taken out of a deque's first block.
agrees() {
	program=$1
	set -- -ex "set may-call-functions $2"
	while IFS= read -r name; do
		set -- "$@" -ex 'echo \nvalue=' -ex "output $name"
	done <names
	timeout 60 gdb -q -nx -batch -ex 'break work' -ex 'run >said' -ex 'ignore 1 8' -ex continue "$@" "$program" >gdb.out 2>gdb.errors
	"$program" | grep -v look | sed -n 10p | tr '\t' '\n' >values
	python3 - <<'PYTHON' || fail "gdb's values differ"
import math
said = [line[6:] for line in open("gdb.out") if line.startswith("value=")]
names = open("names").read().splitlines()
values = open("values").read().splitlines()
assert len(said) == len(names), said
same = 0
for name, value, text in zip(names, values, said):
    text = text.strip().split(": ")[-1] # of a reference
    text = {"true": "1", "false": "0"}.get(text, text)
    if text and not text.startswith("{") and name != "shop.line.size()":
        assert math.isclose(float(text), float(value), rel_tol=1e-7), (name, value, text)
        same += 1
assert same >= 20, said
PYTHON
}
program=$build/fixtures/containers-gcc-O0
"$program" names >names
if command -v gdb >/dev/null; then
	agrees "$build/fixtures/containers-gcc-O2" off
	agrees "$build/fixtures/containers-gcc-O0" on
fi
program=$build/fixtures/containers-gcc-O0

# Internals are listed only on request; what an annotation of 0.1.0 names is read as before.
run 0 list --features "$program" work
! grep -q '_M_.* at ' output || fail 'internals are listed'
run 0 list --features --raw "$program" work
says 'shop.items._M_impl._M_finish - shop.items._M_impl._M_start'
! grep -qF 'size()' output || fail '--raw has size()'
run 0 list --features --max-depth 1 "$program" work
says 'shop.stock.size()'
old='shop.items._M_impl._M_finish - shop.items._M_impl._M_start'
cat >old.ann <<END
work(const Shop&).mem {
features:
  int start = $old;
annotations:
  Norm(0*start, 1);
}
END
run 0 check old.ann -o old.fathom -q --samples all --max-overhead none -- "$program"
run 0 export --csv -f work -o old.csv old.fathom
printf '%s\n' "$old" >names
"$program" | grep -v look | cut -f 1 >sizes
rows sizes old.csv

# What no debug information describes is named, with that as the reason.
run 0 list --features --json "$build/fixtures/dwarf/c-O2" pointers
says '"*opaque"'
says '"absence": "incomplete"'

# They can be written, and combined.
run 0 list --features --feature 'shop.items.size()*2+shop.both.second.capacity()' --feature 'shop.shared->price * 2' --feature 'shop.sides[2] * 2' "$program" work
says 'shop.items.size() * 2 + shop.both.second.capacity()'
says 'shop.shared->price * 2'
says 'shop.sides[2] * 2'
run 2 run -f work --feature 'shop.both.size()' -- "$program"
complains 'of which size() is known'

# Users add rows, whose mistakes have a place.
cat >mine <<'END'
# The shop is one, too.
Shop
	size() = items.size() + stock.size()
	nothing() = missing
END
run 0 list --features --containers mine "$program" work
says 'shop.size()'
! grep -q 'shop\.items\|nothing' output || fail 'more than the row says'
XDG_CONFIG_HOME=$scratch/config
export XDG_CONFIG_HOME
mkdir -p config/fathom && cp mine config/fathom/containers
run 0 list --features "$program" work
says 'shop.size()'
printf 'Shop\n\tsize() = items.\n' >mine
run 2 list --features --containers mine "$program" work
complains 'mine, line 2: the name of a member is missing'
run 2 list --features --containers none "$program" work
complains 'cannot read none'
# Of types of the C library whose members are nobody's, none is listed; one that is named is read.
run 0 list --features "$build/fixtures/memory-gcc-O2" work
says 'earlier != 0'
! grep -q '__' output || fail 'members that nobody knows'
run 0 list --features --raw "$build/fixtures/memory-gcc-O2" work
says 'wanted.__align'
run 0 run -q --no-models -f work --feature wanted.__align -o named.fathom -- "$build/fixtures/memory-gcc-O2"
[ "$(sqlite3 named.fathom 'SELECT count("wanted.__align") > 10 FROM work')" = 1 ] || fail 'what is named is not read'
