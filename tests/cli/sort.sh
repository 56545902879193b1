#!/bin/sh
# The list sort of libstdc++: n log n in the list's own size member, and nothing else.
. "$(dirname "$0")/lib"

run 0 run -f 'std::list<int>::sort' -o sort.fathom -r first -- "$build/fixtures/sort" 60 1000 100000
sed -n 1p first | grep -qxF 'std::list<int>::sort().time {' || fail 'the signature'
grep -qF 'int size = this->_M_impl._M_node._M_size;' first || fail 'the feature'

# The second run adds to the first; the model is made of both. Its class and feature must be right at once. R² also
# depends on what else the machine does, so it has three attempts, each with samples of its own.
judge() {
	python3 - "$1" <<'END'
import json, sys
[annotation] = json.load(open(sys.argv[1]))["annotations"]
[model] = annotation["models"]
print(annotation["text"])
if [f["expression"] for f in annotation["features"]] != ["this->_M_impl._M_node._M_size"]:
    sys.exit("the features are others")
if model["class"] != "nlogn":
    sys.exit("the class is " + model["class"])
sys.exit(0 if model["r2"] >= 0.98 else 75)
END
}
attempt() {
	run 0 run -f 'std::list<int>::sort' -o "$1" -r "$1.json" --json -- "$build/fixtures/sort"
	judge "$1.json"
	status=$?
	[ $status -eq 0 ] || [ $status -eq 75 ] || fail 'the annotation is not n log n in the size alone'
	return $status
}
attempt sort.fathom || attempt again.fathom || attempt once-more.fathom || fail 'R² is below 0.98'
[ "$(sqlite3 sort.fathom 'SELECT count(*) FROM "std::list<int>::sort()"')" = 210 ] || fail 'samples'
[ "$(sqlite3 sort.fathom 'SELECT count(*) FROM run')" = 2 ] || fail 'runs'

# The same from the profile alone, and with patterns as programmers write them.
run 0 annotate --json sort.fathom
same output sort.fathom.json
run 0 annotate -f 'list<int>::sort()' sort.fathom
run 0 annotate -f '*::sort*' sort.fathom
