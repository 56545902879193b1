#!/bin/sh
# The list sort of libstdc++: n log n in the list's own size member, and nothing else. How well: sort_r2.sh.
# alone: it models times
# not sanitized: costs are for real
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
model, *rest = annotation["models"]
assert not rest or model["heuristic"] == "M", rest # what waited stands beside the trend
print(annotation["text"])
assert [f["expression"] for f in annotation["features"]] == ["this->size()"]
assert model["class"] == "nlogn", model["class"]
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
