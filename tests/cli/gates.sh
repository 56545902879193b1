#!/bin/sh
# Assertions of costs: budgets of calls, dearer by how much, and growth; which of them fail a check, and which are wrong.
# not sanitized: unit tests parse budgets
. "$(dirname "$0")/lib"

# samples NAME LAW: 500 calls whose cost is the awk expression LAW of n, 10 to 1000; times 5 % noise.
samples() {
	awk "BEGIN {
		srand(3)
		print \"function,time,n\"
		for (i = 0; i < 500; i++) {
			n = 10 + int(990 * rand())
			print \"work(int),\" ($2) * (1 + 0.05 * sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand())) \",\" n
		}
	}" >"$1.csv"
	"$fathom" import -q -o "$1.fathom" "$1.csv" || fail "import of $1.csv"
}

samples old '100 + 2 * n'
samples dearer '120 + 2.4 * n'
samples steeper '2 * n * n'
"$fathom" annotate old.fathom -r old.ann || fail 'annotate'

# What a call may cost: within what was observed, beyond it, in the mean.
run 0 check --budget 'work(int).time <= 3 ms @ n=1000' old.ann old.fathom
says 'work(int).time: conforms: 2'
run 1 check --budget 'work.time<=1ms@n=1000' old.ann old.fathom
says 'work(int).time: WORSE: 2'
run 0 check --budget 'work.time <= 1.9 ms @ n=1000' old.ann old.fathom
says 'work(int).time: inconclusive: 2'

# Without annotations: of the profile's own models, and nothing else is told.
run 0 check --budget 'work.time <= 3 ms @ n=1000' old.fathom
says 'work(int).time: conforms: 2'
[ "$(wc -l <output)" -eq 1 ] || fail 'more than the budget is told'
run 1 check --budget 'work.time <= 1 ms @ n=1000' old.fathom
says 'work(int).time: WORSE: 2'
run 1 check --budget 'work.time <= 1 ms @ n=1000' --junit old.fathom
says 'tests="1" failures="1"'
says 'name="work(int).time work.time &lt;= 1 ms @ n=1000"'
run 1 check --budget 'work(int).time <= 1 ms @ n=1000' --junit old.fathom
says 'name="work(int).time &lt;= 1 ms @ n=1000"'
run 1 check --budget 'work.time <= 1 ms @ n=1000' --json old.fathom
says '"checks": []'
run 2 check --budget 'wrok.time <= 1 ms @ n=1000' old.fathom
complains 'no function could be checked by wrok.time'
run 2 check --budget 'work.time <= 1 ms @ n=1000' old.ann
complains 'old.ann is not a fathom profile'
run 1 check --fail-inconclusive --budget 'work.time <= 1.9 ms @ n=1000' old.ann old.fathom
run 1 check --budget 'work.time <= 10 ms @ n = 1e5' old.ann old.fathom
says 'that is outside of what was observed'
run 1 check --budget 'work.time <= 500 us' old.ann old.fathom
run 0 check --budget 'work.time <= 2 ms' old.ann old.fathom

# In the file, between annotations; others read it as before.
{
	echo '// at night'
	echo 'budget work.time <= 1 ms @ n=1000;'
	cat old.ann
	echo 'budget work.time <= 9 ms @ n=1000;'
} >asserted.ann
run 1 check asserted.ann old.fathom
says 'WORSE: 2'
says 'at most 9000'
run 0 predict asserted.ann work n=500

# Gates alone decide if there is one.
run 0 check --gate cost=30%@n=900 old.ann dearer.fathom
says 'conforms: 2'
run 0 check --run-spread 0 --gate growth old.ann dearer.fathom
says 'work(int).time: WORSE (500 samples'
says 'its growth is linear, linear before'
run 1 check --gate growth old.ann steeper.fathom
says 'its growth is quadratic, linear before'
run 1 check --gate cost=30%@n=900 old.ann steeper.fathom
run 1 check --gate growth --json old.ann steeper.fathom
python3 - <<'END' || fail 'the JSON is not as promised'
import json
r = json.load(open("output"))
[g] = r["gates"]
assert not r["conforms"] and g["verdict"] == "worse" and g["growth"] == "quadratic" and g["value"] is None
END
run 1 check --budget 'work.time <= 1 ms @ n=1000' --junit old.ann old.fathom
python3 - <<'END' || fail 'the XML is not as promised'
import xml.etree.ElementTree as tree
suite = tree.parse("output").getroot()
assert suite.get("tests") == "2" and suite.get("failures") == "1"
END

# Wrong ones, and what cannot be judged.
run 2 check --budget 'work.time <= 1 ms @ m=7' old.ann old.fathom
says 'not checked: there is no feature m'
complains 'no function could be checked by work.time <= 1 ms @ m=7: there is no feature m'
run 2 check --budget 'play.time <= 1 ms' old.ann old.fathom
says 'play.time: not checked: no annotation that has samples is of it'
run 2 check --gate cost=10%@m=7 old.ann old.fathom
complains 'no function could be checked by cost=10%@m=7: '
run 1 check --gate cost=10%@m=7 --gate growth old.ann steeper.fathom
sed 's/^budget work/budget play/' asserted.ann >gone.ann
run 0 check gone.ann old.fathom
says 'play.time: not checked: no annotation that has samples is of it'
for wrong in 'work.time' 'work.time <= x' 'work.time <= 5 KB' 'work.time <= 5 ms @' 'work.time <= 5 ms @ n' 'work.time <= 5 ms n=7' '<= 5' 'work.bogus <= 5' \
	'work.time <= -1' 'work.time <= nan' 'work.time <= 5 ms @ n=1 m=2'; do
	run 2 check --budget "$wrong" old.ann old.fathom
	complains 'the budget'
done
run 2 check --gate bogus old.ann old.fathom
complains '--gate is growth or cost=10%@n=1e5'
run 2 check --gate cost=much@n=1 old.ann old.fathom
complains 'as in cost=10%@n=1e5'
printf 'budget work.time <= 5 ms' >open.ann
run 2 check open.ann old.fathom
complains "';' behind the budget"

# A session that is no dialogue ends as its checks did.
run 1 -batch -ex 'check old.ann' steeper.fathom
run 0 -batch -ex 'check old.ann' old.fathom
echo 'check old.ann' >script
run 1 -batch -x script steeper.fathom
run 2 -batch -ex 'check none.ann' steeper.fathom
