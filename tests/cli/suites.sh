#!/bin/sh
# Many functions at once: each has its verdict, and all together one; what runs are like is told.
. "$(dirname "$0")/lib"

# samples NAME SEED FACTOR SPREAD: 18 functions of 6 runs, whose costs are times the awk expression FACTOR of the function f, and shifted by the run r.
samples() {
	awk "BEGIN {
		srand($2)
		print \"function,time,n,run\"
		for (f = 0; f < 18; f++)
			for (i = 0; i < 120; i++) {
				n = 10 + int(990 * rand())
				r = int(i / 20)
				print \"f\" f \",\" 2 * n * ($3) * (1 + ($4)) * (1 + 0.01 * rand()) \",\" n \",\" r
			}
	}" >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}
samples old 1 1 0
samples mixed 2 'f % 2 ? 1.03 : 1 / 1.03' 0
samples dearer 3 1.03 0
run 1 diff --tolerance 0.01 old.fathom mixed.fathom
[ "$(grep -c WORSE output)" -eq 9 ] && [ "$(grep -c ': better' output)" -eq 9 ] || fail 'the single verdicts are wrong'
grep -qE '^18 functions together, time: (1|0.99[0-9]|1.00[0-9]) times the cost; F\(1, 17\) = [0-9.e-]*, p 0\.[1-9]' output || fail 'the suite is said to differ'
run 1 diff --tolerance 0.01 --json old.fathom dearer.fathom
python3 - <<'END' || fail 'the JSON is not as promised'
import json
[s] = json.load(open("output"))["suites"]
assert s["functions"] == 18 and s["metric"] == "time" and 1.02 < s["ratio"] < 1.04 and s["p"] < 1e-6
END

# A run far from the others is not normal, and a side that varies more is told.
samples calm 4 1 '0.01 * sin(9 * r)'
samples jumpy 5 1 'r == 3 ? 0.09 : 0.01 * sin(9 * r)'
run 0 diff -v -f f0 calm.fathom calm.fathom
says 'normal (Shapiro-Wilk: p '
run 0 diff -f f0 calm.fathom jumpy.fathom
says 'not normal (Shapiro-Wilk: p '
