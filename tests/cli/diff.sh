#!/bin/sh
# Two profiles are compared: what got worse and by how much, which term it is, and when it is only the workload.
# not sanitized: unit tests cover its arithmetic, check.sh the rest
. "$(dirname "$0")/lib"

# samples NAME CONSTANT SLOPE SEED HIGH: 2,000 calls of work with sizes up to HIGH, whose noise follows from a seed.
samples() {
	awk -v constant="$2" -v slope="$3" -v seed="$4" -v high="$5" 'BEGIN {
		srand(seed)
		print "function,time,n"
		for (i = 0; i < 2000; i++) {
			n = 10 + int((high - 10) * rand())
			print "work(int)," constant + slope * n + 10 * sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) "," n
		}
	}' >"$1.csv"
	rm -f "$1.fathom"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}

samples old 100 2 1 1000
samples same 100 2 2 1000
samples steeper 100 3 3 1000
samples dearer 900 2 4 1000
samples faster 100 1 5 1000
samples larger 100 2 6 3000
samples both 100 3 7 3000
run 0 diff old.fathom old.fathom
says 'work(int).time: unchanged'
run 0 diff old.fathom same.fathom
says 'work(int).time: unchanged'
run 1 diff old.fathom steeper.fathom
says 'work(int).time: WORSE, 1.4'
says 'per n: 1.999 → 3.001 µs, 1.50'
says '(95 %: 1.49'
run 1 diff old.fathom dearer.fathom
says 'each call: 100'
! grep -q 'per n' output || fail 'a term that did not change is told'
run 0 diff old.fathom faster.fathom
says 'work(int).time: better, 0.5'
run 0 diff old.fathom larger.fathom
says 'work(int).time: the same function, another workload'
says 'workload: n: median '
says 'of the new calls are outside of what the old profile observed'
run 1 diff old.fathom both.fathom
says 'per n: '
says 'workload: n: median '

# A smaller difference than matters, and one that matters by request.
samples little 100 2.04 8 1000
run 0 diff old.fathom little.fathom
run 1 diff --tolerance 0.01 --run-spread 0 old.fathom little.fathom
says 'WORSE, 1.02 times the cost'

# Two runs of one program may differ by that: with one run each it is open.
run 0 diff --tolerance 1% old.fathom little.fathom
says 'work(int).time: inconclusive, 1.02 times the cost'
says 'so much by these calls, but one run each, which are taken to differ by 8 %; 3 or more a side would say how much'
run 1 diff --tolerance 1% --fail-inconclusive old.fathom little.fathom
run 0 diff --tolerance 1% --json old.fathom little.fathom
says '"verdict": "inconclusive"'

# runs NAME SLOPE: five runs, which differ by some 2 %.
runs() {
	awk -v slope="$2" -v seed="$3" 'BEGIN {
		srand(seed)
		print "function,time,n,run"
		for (run = 1; run <= 5; run++) {
			shift = 1 + 0.02 * (rand() + rand() + rand() + rand() - 2) * 1.7
			for (i = 0; i < 400; i++) {
				n = 10 + int(990 * rand())
				print "work(int)," (100 + slope * n) * shift * (1 + 0.1 * (rand() - 0.5)) "," n "," run
			}
		}
	}' >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}
runs five 2 1
runs again 2 2
runs dear 2.4 3
run 0 diff --tolerance 2% five.fathom again.fathom
run 1 diff --tolerance 2% five.fathom dear.fathom
says '5 and 5 runs differ by '

# For machines.
run 1 diff --json old.fathom steeper.fathom
python3 - <<'END' || fail 'the JSON is not as promised'
import json
r = json.load(open("output"))
assert r["fathom"] == 1 and r["regression"] is True
[d] = r["differences"]
assert d["verdict"] == "worse" and d["metric"] == "time" and d["reason"] is None
term = {t["term"]: t for t in d["terms"]}["n"]
assert term["certain"] and abs(term["ratio"] - 1.5) < 0.01 and term["low"] < 1.5 < term["high"]
assert not d["workload"]["moved"] and abs(d["workload"]["ratio"] - 1) < 0.05
assert any(t["kind"] == "call" and t["call"]["n"] > 10 and t["certain"] for t in d["tests"])
assert "Norm(" in d["old"]["annotation"] and d["new"]["samples"] == 2000
END
run 1 diff --junit old.fathom steeper.fathom
python3 - <<'END' || fail 'the XML is not as promised'
import xml.etree.ElementTree as tree
suite = tree.parse("output").getroot()
assert suite.get("tests") == "1" and suite.get("failures") == "1"
assert "per n: " in suite.find("testcase/failure").text
END

# Functions and metrics that only one has are said; those that are not asked for are not.
(
	cat old.csv
	awk 'BEGIN { for (i = 0; i < 100; i++) print "play(int)," 10 + i % 7 "," i }'
) >more.csv
"$fathom" import -q -o more.fathom more.csv || fail 'import of more.csv'
run 0 diff old.fathom more.fathom
says 'play(int).time: not compared: it is only in the new profile'
run 0 diff more.fathom old.fathom
says 'play(int).time: not compared: it is only in the old profile'
run 0 diff -f work more.fathom old.fathom
! grep -q play output || fail '-f chooses nothing'
run 2 diff -f play more.fathom old.fathom
complains 'nothing could be compared'
run 2 diff -m mem old.fathom steeper.fathom
complains 'nothing could be compared'
run 2 diff old.fathom none.fathom
complains 'none.fathom'
run 2 diff old.fathom old.csv
complains 'not a fathom profile'
run 2 diff old.fathom
complains 'missing: fathom diff'
run 2 diff -r old.fathom old.fathom steeper.fathom
run 0 diff -r result old.fathom old.fathom
grep -q unchanged result || fail '-r is empty'

# A program in several builds; what it allocates is exact.
profile() {
	name=$1
	shift
	"$fathom" run -q -f work -m time,mem --max-overhead none --samples all -o "$name.fathom" -r /dev/null -- \
		"$@" >/dev/null </dev/null || fail "run of $name"
}
profile before "$build/fixtures/elements-old" 500 10 1000
profile after "$build/fixtures/elements-steeper" 500 10 1000
profile moved "$build/fixtures/elements-old" 500 100 3000
run 0 diff -m mem before.fathom before.fathom
run 1 diff before.fathom after.fathom
says 'work.mem: WORSE'
says 'per n: 100 → 300 bytes, 3 times'
says 'work.time: WORSE'
run 0 diff -m mem before.fathom moved.fathom
says 'work.mem: the same function, another workload'
