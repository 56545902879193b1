#!/bin/sh
# Annotations say what they do not describe: calls that were left out.
. "$(dirname "$0")/lib"

annotated() { # annotated NAME: models of NAME.csv in NAME.ann and NAME.json
	run 0 import -q -o "$1.fathom" "$1.csv"
	run 0 annotate "$1.fathom" -r "$1.ann"
	run 0 annotate "$1.fathom" --json -r "$1.json"
}
# judged NAME: the Python program on standard input holds for NAME.json, whose only annotation is `one`
judged() {
	{
		echo 'import json, sys'
		echo 'one, = json.load(open(sys.argv[1]))["annotations"]'
		cat
	} >judge.py
	python3 judge.py "$1.json" || fail "$1.json is not right: $(cat "$1.ann")"
}

# A constant of 199 calls tells of the 200th, which took nearly all the time.
awk 'BEGIN { srand(3); print "function,time"
	for (i = 1; i <= 200; i++) print "f," (i == 67 ? 1000000 : 10 + rand() + rand()) }' >second.csv
annotated second
judged second <<'END'
out = one["left_out"]
assert one["samples"] == 199 and out["far"] == 1 and out["unread"] == 0, out
assert abs(out["cost"] - 1e6) < 1 and 0.997 < out["share"] < 0.999, out
assert any("was left out. It is 99.8 % of the whole cost." in note for note in one["notes"]), one["notes"]
END
