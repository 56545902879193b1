#!/bin/sh
# The list sort of libstdc++: n log n in the list's own size member, and nothing else.
. "$(dirname "$0")/lib"

name='std::list<int>::sort'

# The second run adds to the first; the model is made of both.
attempt() {
	rm -f sort.fathom
	run 0 run -f "$name" -o sort.fathom -r first -- "$build/fixtures/sort" 60 1000 100000
	run 0 run -f "$name" -o sort.fathom -r second --json -- "$build/fixtures/sort"
	python3 - second <<'END'
import json, sys
[annotation] = json.load(open(sys.argv[1]))["annotations"]
[model] = annotation["models"]
print(annotation["text"])
assert [f["expression"] for f in annotation["features"]] == ["this->_M_impl._M_node._M_size"]
assert model["class"] == "nlogn", model["class"]
assert model["r2"] >= 0.98, model["r2"]
END
}
# What the sorts take by the program's own clock, unmeasured: is that n log n with an R² of 0.98?
machine_is_noisy() {
	"$build/fixtures/sort" 150 1000 200000 times >native
	python3 - native <<'END'
import math, sys
rows = [(float(a), float(b)) for a, b in (line.split() for line in open(sys.argv[1]) if " " in line)]
design = [(1, n, n * math.log(n)) for n, _ in rows]
# Normal equations in scaled columns, solved by elimination.
scale = [max(abs(r[k]) for r in design) for k in range(3)]
design = [[r[k] / scale[k] for k in range(3)] for r in design]
m = [[sum(r[i] * r[j] for r in design) for j in range(3)] +
     [sum(r[i] * y for r, (_, y) in zip(design, rows))] for i in range(3)]
for i in range(3):
    m[i] = [x / m[i][i] for x in m[i]]
    for j in range(3):
        if j != i:
            m[j] = [x - m[j][i] * z for x, z in zip(m[j], m[i])]
mean = sum(y for _, y in rows) / len(rows)
left = sum((y - sum(m[k][3] * r[k] for k in range(3))) ** 2 for r, (_, y) in zip(design, rows))
r2 = 1 - left / sum((y - mean) ** 2 for _, y in rows)
print("by its own clock R² is %.3f" % r2)
sys.exit(0 if r2 < 0.98 else 1)
END
}
five_attempts 'the annotation is not n log n in the size alone with R² of 0.98'

sed -n 1p first | grep -qxF 'std::list<int>::sort().time {' || fail 'the signature'
[ "$(sqlite3 sort.fathom 'SELECT count(*) FROM "std::list<int>::sort()"')" = 210 ] || fail 'samples'
[ "$(sqlite3 sort.fathom 'SELECT count(*) FROM run')" = 2 ] || fail 'runs'

# The same from the profile alone, and with patterns as programmers write them.
run 0 annotate --json sort.fathom
same output second
run 0 annotate -f 'list<int>::sort()' sort.fathom
run 0 annotate -f '*::sort*' sort.fathom
