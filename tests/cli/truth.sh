#!/bin/sh
# Annotations say what they do not describe: calls that were left out, and costs that nothing explains.
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

# A cost that varies, and that nothing explains, is no constant.
awk 'BEGIN { srand(4); print "function,time,n,flag"
	for (i = 1; i <= 300; i++) print "f," 10 + 90 * rand() "," int(100 * rand()) "," int(2 * rand()) }' >varying.csv
awk 'BEGIN { srand(4); print "function,time,n"
	for (i = 1; i <= 300; i++) print "f," 50 + rand() "," int(100 * rand()) }' >level.csv
annotated varying
judged varying <<'END'
model, = one["models"]
assert model["class"] is None and model["unexplained"] is True, model
assert 10 < model["low"] < 20 and 90 < model["high"] < 100, model
assert any("looked at: 2 features that varied." in note for note in one["notes"]), one["notes"]
END
grep -q '// unexplained: 300 samples, 90 % between ' varying.ann || fail 'the text says otherwise'
run 0 check varying.ann varying.fathom
annotated level
judged level <<'END'
model, = one["models"]
assert model["class"] == "constant" and model["unexplained"] is False, model
END

# One in eight calls waits: R2 is that of all calls, and those that wait are told, not left out.
awk 'BEGIN { srand(6); print "function,time,n"
	for (i = 1; i <= 400; i++) { n = int(1000 * rand()); print "f," 10 + n + rand() + (rand() < 0.12 ? 300 + 9000 * rand() : 0) "," n } }' >waits.csv
annotated waits
judged waits <<'END'
trend, rest = one["models"]
assert one["left_out"]["far"] == 0 and one["samples"] == 400, one
assert trend["heuristic"] == "M" and trend["class"] == "linear" and trend["r2"] < 0.5, trend
assert rest["class"] == "constant" and 0.08 < rest["probability"] < 0.16 and rest["samples"] > 30, rest
END
run 0 check waits.ann waits.fathom
says 'f.time: conforms'
run 0 predict waits.ann f n=500
