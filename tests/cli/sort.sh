#!/bin/sh
# The list sort of libstdc++: n log n in the list's own size member, and nothing else.
# alone: it models times
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

name='std::list<int>::sort'

# The second run adds to the first; the model is made of both. It explains what least squares explain of the calls; and those what they do of the
# times that the program found itself, which have in them what others had of the processor.
attempt() {
	rm -f sort.fathom
	run 0 run -f "$name" -o sort.fathom -r first -- "$build/fixtures/sort" 60 1000 100000 times
	cp output own
	run 0 run -f "$name" -o sort.fathom -r second --json -- "$build/fixtures/sort" 150 1000 200000 times
	cat output >>own
	sqlite3 -separator ' ' sort.fathom 'SELECT "this->size()", time FROM "std::list<int>::sort()"' >measured
	python3 - second <<'END'
import json, math, sys

def explained(path):
    """R² of a + b * n + c * n * log(n): normal equations in scaled columns, solved by elimination."""
    rows = [tuple(map(float, line.split())) for line in open(path) if " " in line]
    most = max(n for n, _ in rows)
    design = [(1, n / most, n / most * math.log(n)) for n, _ in rows]
    m = [[sum(x[i] * x[j] for x in design) for j in range(3)] +
         [sum(x[i] * y for x, (_, y) in zip(design, rows))] for i in range(3)]
    for i in range(3):
        m[i] = [x / m[i][i] for x in m[i]]
        for j in range(3):
            if j != i:
                m[j] = [x - m[j][i] * z for x, z in zip(m[j], m[i])]
    mean = sum(y for _, y in rows) / len(rows)
    left = sum((y - sum(m[k][3] * x[k] for k in range(3))) ** 2 for x, (_, y) in zip(design, rows))
    return 1 - left / sum((y - mean) ** 2 for _, y in rows)

[annotation] = json.load(open(sys.argv[1]))["annotations"]
model, *rest = annotation["models"]
assert not rest or model["heuristic"] == "M", rest # what waited stands beside the trend
print(annotation["text"])
assert [f["expression"] for f in annotation["features"]] == ["this->size()"]
assert model["class"] == "nlogn", model["class"]
own, best = explained("own"), explained("measured")
print("R²: of the model %.4f, of least squares %.4f, by the program's own clock %.4f" % (model["r2"], best, own))
assert best >= own - 0.01 and (rest or model["r2"] >= best - 0.01)
END
}
five_attempts 'the annotation is not n log n in the size alone'

sed -n 1p first | grep -qxF 'std::list<int>::sort().time {' || fail 'the signature'
[ "$(sqlite3 sort.fathom 'SELECT count(*) FROM "std::list<int>::sort()"')" = 210 ] || fail 'samples'
[ "$(sqlite3 sort.fathom 'SELECT count(*) FROM run')" = 2 ] || fail 'runs'

# The same from the profile alone, and with patterns as programmers write them.
run 0 annotate --json sort.fathom
same output second
run 0 annotate -f 'list<int>::sort()' sort.fathom
run 0 annotate -f '*::sort*' sort.fathom
