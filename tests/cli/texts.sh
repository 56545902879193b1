#!/bin/sh
# Texts and containers are shown as gdb shows them; the profile has texts only with --strings, as categories.
. "$(dirname "$0")/lib"

program=$build/fixtures/texts
"$program" >truth
said() { grep -qF -- "$1" output || fail "no $1"; }

# At the prompt, with what they are in the fourth call: what is no text is escaped.
run 0 -batch -ex 'break work if order.amounts.size() == 2' -ex run -ex print -ex 'info args' -ex 'print order.titles' -ex backtrace -ex kill "$program"
said 'order.customer = "B\033[31m\"b"'
said 'order.amounts = {size 2: 2, 2}'
said 'order.titles = {size 2: "a", "b\n"}   (in work(const Order&, const char*))'
said 'order.stock = {size 1: [7] = "seven"}'
said 'mode = "slow"'
said 'order = {customer = "B\033[31m\"b", amounts = {size 2: 2, 2}, titles = {size 2: "a", "b\n"}, stock = {size 1: {first = 7, second = "seven"}}, label = "label"}'
! grep -q "$(printf '\033')\[31m" output || fail 'an escape sequence reaches the terminal'
run 0 list --features --feature 'order.titles[1].length()' --feature 'order.amounts[7]' "$program" work
says 'order.titles[1].length()'

# No text is kept unless it is asked for.
run 0 run -q --samples all --max-overhead none -m mem -f work -o none.fathom -- "$program"
! sqlite3 none.fathom .dump | grep -q 'slow\|Ann' || fail 'the profile has texts'

for way in pads stops; do
	rm -f a.fathom
	run 0 run -q --strings --probes $way --samples all --max-overhead none -m mem -f work -o a.fathom -- "$program"
	run 0 export --csv -f work -o a.csv a.fathom
	python3 - <<'PYTHON' || fail "$way: texts differ"
import csv
truth = [line.rstrip("\n").split("\t") for line in open("truth")]
rows = list(csv.DictReader(open("a.csv")))
assert len(rows) == len(truth) == 80
for row, (customer, mode, label) in zip(rows, truth):
    customer = customer.replace("\033", "\\033").replace('"', '\\"')
    for name, text in ("order.customer", customer), ("mode", mode), ("order.label", label):
        assert row[name] == (text if len(text.replace("\\033", "x").replace("\\", "")) <= 16 else ""), (row[name], text)
PYTHON
done
run 0 export --json -o a.json a.fathom
python3 -c 'import json; json.load(open("a.json"))' || fail 'no JSON'
rm -f b.fathom
run 0 run -q --strings --samples all --max-overhead none -m mem -f work -o b.fathom -- "$program" many
sqlite3 b.fathom .dump | grep -q various || fail 'too many texts are not told'

# They separate what costs, and are written, read back, predicted with and asked for in quotes.
cat >told.ann <<'END'
work(const Order&, const char*).mem {
features:
  string mode = mode;
annotations:
  [mode == "fast"] Norm(1, 1);
  [mode == "slow"] Norm(2, 1);
}
END
run 0 predict told.ann work mode=slow
says ': 2 bytes'
run 2 predict told.ann work mode=none
run 0 -batch --strings -ex 'break work if mode == "s-at-16-letters."' -ex run -ex 'print mode' -ex kill "$program"
said 'mode = "s-at-16-letters."'
run 0 -batch --strings -ex 'break work if !defined(mode)' -ex run -ex 'print mode' -ex kill "$program"
said 'mode = "f of 17 letters.."' # too long for a category
run 2 -batch -ex 'break work if mode == "slow"' "$program"
complains "mode != 0 tells a text from none; the text is read with the session's option --strings"
run 0 export --csv -o - -f work --where '!defined(mode)' a.fathom
[ "$(grep -c . output)" -eq 21 ] || fail 'not the 20 calls without a mode are selected'

# Classes by their names: of an object that has nothing but its vtable, in pages and in JSON.
cat >shapes.cc <<'CODE'
static void burn(int n) { for (volatile int i = 0; i < n; i = i + 1) ; }
struct Shape { virtual void draw(int) const = 0; };
struct Circle : Shape { void draw(int n) const override { burn(100 * n); } };
struct Square : Shape { void draw(int n) const override { burn(300 * n); } };
__attribute__((noinline)) void measure(const Shape *shape, int n, unsigned long huge, long least, long seconds) { shape->draw(n); }
int main()
{
	const Circle circle;
	const Square square;
	for (int i = 0; i < 300; i++)
		measure(i % 3 ? static_cast<const Shape *>(&circle) : &square, 10 + i % 40, 0x8000000000000001, -0x7fffffffffffffff, 12345678901);
}
CODE
"${CXX:-g++}" -g -O1 shapes.cc -o shapes || fail 'cannot compile'
run 0 --max-overhead=none -batch -ex 'break measure' -ex run -ex 'print *shape' -ex backtrace -ex 'print huge' -ex kill ./shapes
grep -q '^\*shape = {_vptr = 0x[0-9a-f]* <vtable for Square+16>}$' output || fail 'an object is not shown by its vtable'
says 'huge = 9223372036854775809' 'least = -9223372036854775807' 'seconds = 12345678901'
! grep -q '[0-9]e+1' output || fail 'digits are lost'
rm -f b.fathom
run 0 run -q --samples all --max-overhead none -f measure -o b.fathom -- ./shapes
run 0 export --html shapes.html b.fathom
grep -o '<code>typeid(\*shape)</code>.*' shapes.html | grep -q '<td class="number">Square, Circle</td><td class="number">300</td>' ||
	fail 'the page has no classes'
run 0 export --json b.fathom
python3 -c '
import json
annotation, = json.load(open("output"))["annotations"]
assert [f["type"] for f in annotation["features"] if f["expression"] == "typeid(*shape)"] == ["class"]
values = {c["value"] for model in annotation["models"] for c in model["scope"] if c["feature"] == "shape"}
assert values == {"Square", "Circle"}, values' || fail 'classes have no names in JSON'
