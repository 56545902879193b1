#!/bin/sh
# A machine that was busier for one side is told, and shifts all of its runs: a moderate difference is inconclusive then, a large one is not.
. "$(dirname "$0")/lib"

# samples NAME SLOPE LOAD: five runs that do not differ.
samples() {
	awk "BEGIN {
		srand(3)
		print \"function,time,n,run,system.load\"
		for (i = 0; i < 500; i++) {
			n = 10 + int(990 * rand())
			print \"work,\" (100 + $2 * n) * (1 + 0.02 * rand()) \",\" n \",\" int(i / 100) \",\" $3 + rand()
		}
	}" >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}
samples quiet 2 0.5
samples dearer 2.8 0.5
samples dearer_busy 2.8 5000
samples steep_busy 20 5000
samples busy 2 5000
"$fathom" annotate quiet.fathom -r quiet.ann
grep -q 'Of 5 runs, which differ by .* %, at load [01]' quiet.ann || fail 'the load is not in the annotation'
"$fathom" annotate busy.fathom -r busy.ann

run 1 check quiet.ann dearer.fathom
run 0 check quiet.ann dearer_busy.fathom
says 'inconclusive'
says 'the machine was busy (load 5'
run 1 check --fail-inconclusive quiet.ann dearer_busy.fathom
run 1 check quiet.ann steep_busy.fathom
# Busy both times is fair.
run 1 check busy.ann dearer_busy.fathom
run 1 diff quiet.fathom dearer.fathom
run 0 diff quiet.fathom dearer_busy.fathom --json
python3 - <<'END' || fail 'the JSON is not as promised'
import json
[d] = json.load(open("output"))["differences"]
assert d["verdict"] == "inconclusive" and all(t["runs"]["busy"] for t in d["tests"])
END
run 0 diff dearer_busy.fathom quiet.fathom
says 'inconclusive'
run 1 diff busy.fathom dearer_busy.fathom
run 1 diff quiet.fathom steep_busy.fathom
