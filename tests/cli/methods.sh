#!/bin/sh
# Perun's detectors by name: their published borders, by x and not by position, and outliers where most functions do not change.
# not sanitized: diff is
. "$(dirname "$0")/lib"

# line NAME FORMULA [FROM [STEP]]: a profile of calls of work with n = 1 to 100, which cost FORMULA of n.
line() {
	awk -v from="${3:-1}" -v step="${4:-1}" "BEGIN { print \"function,time,n\"; for (n = from; n <= 100; n += step) printf \"work,%.9f,%d\\n\", $2, n }" >"$1.csv"
	"$fathom" import -q -o "$1" "$1.csv"
}
line old '2 * n'
line a219 '2.19 * n'
line a221 '2.21 * n'
line a26 '2.6 * n'
line half '2.19 * n' 1 2 # the same curve, with other positions
line bump '2 * n * (n > 50 && n <= 55 ? 1.4 : 1)'
line square '0.1 * n * n'
line double '4 * n'
line almost '3.98 * n'

run 0 diff --method integral old a219
says 'work.time: unchanged by integral: +9.5 %'
run 0 diff --method integral old half
says 'work.time: unchanged by integral: +9.' 
run 0 diff --method integral old a221
says 'work.time: perhaps worse by integral: +10.5 %'
run 1 diff --method integral old a26
says 'work.time: WORSE by integral: +30 %'
run 0 diff --method integral double old
says 'work.time: better by integral: -50 %'
run 0 diff --method integral old bump
says 'work.time: unchanged by integral'
run 1 diff --method local old bump
says 'work.time: WORSE by local: '
grep -qE 'where 50.* <= n < 55' output || fail 'the window is not told'
run 0 diff --method local old a219
says 'work.time: unchanged by local'
run 1 diff --method order old square
says 'work.time: WORSE by order: +2 classes of growth'
run 0 diff --method order old a26
says 'unchanged by order'
run 1 diff --method average old double
says 'WORSE by average: 2 times the mean'
run 0 diff --method average old almost
says 'unchanged by average: 1.99 times the mean'

# Ninety-nine functions that change by nothing, or by chance, and one that does; MAD may be 0. New ones are seen.
many() {
	awk -v seed="$1" -v noise="$2" -v more="$3" 'BEGIN { srand(seed); print "function,self.time"
		for (f = 1; f <= 100; f++) { e = noise * (rand() - 0.5); for (i = 0; i < 10; i++) printf "f%d,%.9f\n", f, 100 + e + (f == 42 ? more : 0) }
		if (more) for (i = 0; i < 10; i++) print "novel,500" }' >many.csv
	rm -f "$4"
	"$fathom" import -q -o "$4" many.csv
}
for noise in 0 0.1; do
	many 1 "$noise" 0 before
	many 2 "$noise" 5 after
	run 1 diff --method outliers before after
	grep -qE '^f42.self.time: WORSE, far from all others by outliers: \+(49|50)' output || fail 'the one is not found'
	grep -qE '^novel.self.time: WORSE, far from all others' output || fail 'a new function is not seen'
	[ "$(grep -c 'far from' output)" = 2 ] || fail 'others are called far'
	grep -qE 'inf|nan' output && fail 'no number'
done
run 1 diff --json --method integral old a26
python3 -c 'import json; m = json.load(open("output"))["methods"]; assert m[0]["grade"] == "change" and m[0]["worse"] and abs(m[0]["value"] - 0.3) < 1e-6' || fail 'the JSON is not as promised'
# The same on pages.
run 1 diff --method integral --github old a26
says '::error'
says 'work.time: WORSE by integral: +30 %'
run 1 diff --method integral --markdown old a26
says 'WORSE by integral'
run 1 diff --method integral --junit old a26
python3 - <<'END' || fail 'the JUnit is not as promised'
import xml.etree.ElementTree as tree
root = tree.parse("output").getroot()
cases = list(root.iter("testcase"))
assert len(cases) == 1 and "WORSE by integral" in cases[0].find("failure").get("message")
END
run 0 diff --method integral --html page.html old a221
grep -q 'perhaps worse by integral' page.html && grep -q '<svg' page.html || fail 'the page lacks the result'
run 1 diff --method outliers --github before after
says 'f42.self.time: WORSE'
run 2 diff --method median old a26
complains 'method is tests'
exit 0
