#!/bin/sh
# Annotations that were made once are checked against new samples: what conforms, what changed, and by how much.
. "$(dirname "$0")/lib"

# samples NAME CONSTANT SLOPE: 2,000 calls of work, whose noise follows from a seed.
samples() {
	awk -v constant="$2" -v slope="$3" 'BEGIN {
		srand(7)
		print "function,time,n"
		for (i = 0; i < 2000; i++) {
			n = 10 + int(990 * rand())
			print "work(int)," constant + slope * n + 10 * sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) "," n
		}
	}' >"$1.csv"
	rm -f "$1.fathom"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}

samples old 100 2
samples same 100 2.04
samples steeper 100 3
samples steeper2 105 2.2
samples dearer 900 2
"$fathom" annotate old.fathom -r old.ann || fail 'annotate'
run 0 check old.ann old.fathom
says 'work(int).time: conforms (2000 samples, 0 of 3 tests violated)'
run 0 check old.ann same.fathom
says conforms
run 1 check --tolerance 1% --run-spread 0 old.ann same.fathom
says 'grows 2'
# Runs may differ by more than that: with one run each it is open, and told what would tell.
run 0 check --tolerance 1% old.ann same.fathom
says 'work(int).time: inconclusive (2000 samples'
says 'one run each, which are taken to differ by 8 %; 3 or more a side would say how much'
run 1 check --tolerance 1% --fail-inconclusive old.ann same.fathom
run 0 check --tolerance 1% --run-spread 4% old.ann steeper2.fathom
says '; 11 a side would tell'
run 0 check --json --tolerance 1% old.ann same.fathom
says '"verdict": "inconclusive"'
run 1 check old.ann steeper.fathom
says 'work(int).time: WORSE (2000 samples, 2 of 3 tests violated)'
says 'grows 50 % faster than expected; per n: 2 → 3'
says 'costs 4'
run 1 check old.ann dearer.fathom
says '1 of 3 tests violated'
says 'the constant: 100'
says '→ 900'
run 1 check --json old.ann steeper.fathom
python3 - <<'END' || fail 'the JSON is not as promised'
import json
r = json.load(open("output"))
assert r["fathom"] == 1 and r["conforms"] is False
tests = {t["kind"]: t for t in r["checks"][0]["tests"]}
assert abs(tests["slope"]["observed"] - 1.5) < 0.01 and tests["slope"]["violated"]
assert tests["slope"]["term"] == "n" and abs(tests["slope"]["coefficient_now"] - 3) < 0.01
assert not tests["spread"]["violated"] and "outside" not in tests
END
run 1 check --junit old.ann steeper.fathom
python3 - <<'END' || fail 'the XML is not as promised'
import xml.etree.ElementTree as tree
suite = tree.parse("output").getroot()
assert suite.get("tests") == "1" and suite.get("failures") == "1"
assert "grows 50 % faster" in suite.find("testcase/failure").text
END

# An annotation of five runs says how much these differ: then one new run tells what else would be open.
runs() {
	awk -v slope="$2" -v first="$3" -v last="$4" 'BEGIN {
		srand(first)
		split("1 1.02 0.99 0.98 1.01 1.005", shift, " ")
		print "function,time,n,run"
		for (run = first; run <= last; run++)
			for (i = 0; i < 400; i++) {
				n = 10 + int(990 * rand())
				print "work(int)," (100 + slope * n) * shift[run] * (1 + 0.1 * (rand() - 0.5)) "," n "," run
			}
	}' >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}
runs five 2 1 5
runs sixth 2 6 6
runs dear 2.4 6 6
"$fathom" annotate five.fathom -r five.ann || fail 'annotate'
grep -qE '// Of 5 runs, which differ by 1\.[0-9]+ %\.' five.ann || fail "the runs are not told: $(cat five.ann)"
run 0 check five.ann sixth.fathom
says 'conforms (400 samples'
run 1 check five.ann dear.fathom
says 'WORSE'
sed '/Of 5 runs/d' five.ann >one.ann
run 0 check one.ann dear.fathom
says 'inconclusive'

# What cannot be checked is said, and is no success.
sed 's/work(int)/play(int)/' old.ann >other.ann
run 2 check -q other.ann old.fathom
complains 'nothing could be checked'
sed 's/= n;/= m;/' old.ann >other.ann
run 2 check -q other.ann old.fathom
says 'the samples do not have m'
run 2 check none.ann old.fathom
complains 'No such file'
run 2 check old.ann old.ann
complains 'not a fathom profile'
run 2 check old.fathom old.fathom
complains 'is a profile'
run 2 check --alpha 2 old.ann old.fathom
complains 'not a number from 0 to 1'

# What has no value is not what conforms.
for deviation in 'log(0)' 1; do
	printf 'work(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(%s*n, %s);\n}\n' \
		'log(0)' "$deviation" >none.ann
	run 2 check none.ann old.fathom
	says 'work(int).time: not checked: its formulas have no value for any of 2000 samples'
	run 2 check --junit none.ann old.fathom
	says 'skipped="1"'
	run 2 predict none.ann work n=10
done
printf 'work(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(2*n, log(0)*n);\n}\n' >none.ann
run 2 predict none.ann work n=10
printf 'work(int).time {\nfeatures:\n  int n = n;\nannotations:\n  Norm(2*n, -3);\n}\n' >none.ann
run 2 predict none.ann work n=10
complains 'a standard deviation is not below 0'

# Many that cannot be checked are few lines.
awk 'BEGIN { for (i = 0; i < 1000; i++) printf "f%d().time {\nfeatures:\nannotations:\n  Norm(1, 1);\n}\n", i }' >many.ann
run 2 check many.ann old.fathom
grep -qF '995 more annotations were not checked' errors || fail 'many lines'
[ "$(grep -c '' errors)" -lt 10 ] || fail 'many lines'

# A program is launched, and what the annotations name is measured. What it allocates is exact.
old=$build/fixtures/elements-old
printf 'work.mem {\nfeatures:\n  int n = n;\nannotations:\n  Norm(2000 + 100*n, 0);\n}\n' >mem.ann
measured="--max-overhead none --samples all"
# shellcheck disable=SC2086
run 0 check $measured --report verdict mem.ann -- "$old" 300 10 1000
says 'calls 300 elements'
grep -qF 'work.mem: conforms (300 samples' verdict || fail "$(cat verdict)"
grep -qF 'exited with status 0' errors || fail 'the end is not told'
# shellcheck disable=SC2086
run 1 check $measured -q mem.ann -- "$build/fixtures/elements-steeper" 300 10 1000
says 'work.mem: WORSE (300 samples'
says 'per n: 100 → 300'
[ ! -s errors ] || fail '-q is not quiet'

# What was stored by others is not this program's.
cp mem.ann both.ann
run 0 run -q -f work -m mem --max-overhead none -o stored.fathom -- "$old" 100 10 1000
# shellcheck disable=SC2086
run 0 check $measured -o stored.fathom mem.ann -- "$old" 300 10 1000
says 'conforms (300 samples'
run 0 check mem.ann stored.fathom
says 'conforms (400 samples'
# shellcheck disable=SC2086
run 2 check $measured -o stored.fathom mem.ann -- "$build/fixtures/elements-steeper" 300 10 1000

# A program that dies is checked up to then; arguments behind it are its own.
# shellcheck disable=SC2086
run 0 check $measured --json mem.ann -- "$old" 300 10 1000 11
grep -qF 'was killed by signal 11' errors || fail 'the signal is not told'

# Functions that it does not have, and metrics that the machine has not, are left out and said.
printf 'play.mem {\nfeatures:\n  int n = n;\nannotations:\n  Norm(2000 + 100*n, 0);\n}\n' >>both.ann
# shellcheck disable=SC2086
run 0 check $measured both.ann -- "$old" 300 10 1000
says 'work.mem: conforms'
grep -qF 'no program that ran has a function "play"' errors || fail 'the missing function is not told'
run 2 check mem.ann -- "$build/fixtures/elements-other"
complains 'no function "work"'
if ! "$fathom" run -q -f work -m cycles -- "$old" 1 10 1000 >/dev/null 2>&1 </dev/null; then
	sed 's/\.mem/.cycles/' mem.ann >cycles.ann
	run 2 check cycles.ann -- "$old"
	complains cycles
	cat mem.ann >>cycles.ann
	# shellcheck disable=SC2086
	run 0 check $measured cycles.ann -- "$old" 300 10 1000
	says 'work.cycles: not checked: the samples do not have cycles'
	says 'work.mem: conforms'
fi

# Errors, and files that must not be lost.
run 2 check mem.ann
complains 'check samples of a PROFILE, or of a program behind --'
run 2 check mem.ann stored.fathom -- "$old"
run 2 check mem.ann -- ./nothing-like-that
complains 'nothing-like-that'
run 2 check -r mem.ann mem.ann -- "$old" 1 10 1000
cmp -s mem.ann both.ann || head -c 1 mem.ann | grep -q w || fail 'the annotations were destroyed'
run 2 check mem.ann -- "$old" 0 10 1000
