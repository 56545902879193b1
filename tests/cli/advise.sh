#!/bin/sh
# What other inputs would tell: what never varied, what no call had, gaps, how precisely costs are known, and which command line helps.
# not sanitized: it launches a program several times
. "$(dirname "$0")/lib"

# Of 24 calls: n 10 to 40 and 1000 to 1300, m = n but for noise, size always 7, flag never true, and a cost of 100 + 2 n with noise.
python3 - >calls.csv <<'END'
print("function,run,time,n,size,flag,p->len")
for i in range(24):
    n = (10 if i < 12 else 1000) + i % 12 * 3
    print(f"enc,1,{100 + 2 * n + (i * 7 % 5 - 2) * 30:.2f},{n},7,0,{i % 3}")
END
run 0 import calls.csv -o calls.fathom
run 0 advise calls.fathom
says '  size was always 7: pass another'
says '  n was never between 43 and 1000: try 207'
says '  n was 10 to 1033: beyond, the formula is a guess: try 1.03e+04'
grep -qE 'what a typical call costs \(.* µs\) is known to ±[0-9.]+ %; [0-9]+ calls? with n = [0-9]+ halves? that' output ||
	fail 'how precisely the cost is known is not told'
[ "$(grep -n 'size was always' output | cut -d: -f1)" -lt "$(grep -n 'n was never' output | cut -d: -f1)" ] ||
	fail 'what never varied does not come first'

# So many calls do halve it.
interval() {
	sed -n 's/.*is known to ±\([0-9.]*\) %; \([0-9]*\) calls* with n = \([0-9]*\) .*/\1 \2 \3/p' output
}
read -r before calls next <<END
$(interval)
END
{
	cat calls.csv
	for i in $(seq "$calls"); do
		echo "enc,1,$((100 + 2 * next + (i * 7 % 5 - 2) * 30)),$next,7,0,1"
	done
} >more.csv
run 0 import more.csv -o more.fathom
run 0 advise more.fathom
read -r after calls next <<END
$(interval)
END
# Below 1 % nothing is told.
awk -v b="$before" -v a="${after:-0}" 'BEGIN { exit !(a <= 0.6 * b) }' || fail "from ±$before % it came to ±$after %"

# An enumerator that no call had, by the debug information; and the printed command widens the range.
run 0 run -q --no-models -f handle -o kinds.fathom -- "$build/fixtures/modes-gcc-O2" 2
run 0 advise kinds.fathom
says 'kind was SORT, never READ, SYNC'
run 0 run -q --no-models -f work -o work.fathom -- "$build/fixtures/elements-old" 60 10 1000
run 0 advise work.fathom
command=$(sed -n 's/.*by argument 3 of the program: beyond, the formula is a guess: //p' output)
[ "${command##* }" -ge 5000 ] || fail "the command is '$command'"
# shellcheck disable=SC2086 # its words
run 0 run -q --no-models -f work -o work.fathom -- $command
[ "$(sqlite3 work.fathom 'SELECT max(n) > 3000 FROM work')" -eq 1 ] || fail 'the command does not widen the range'
# As JSON: the same sentences.
run 0 advise calls.fathom
sed -n 's/^  //p' output >sentences
run 0 advise --json calls.fathom
python3 - <<'END' >in_json || fail 'the advice is no JSON'
import json
for one in json.load(open("output"))["advice"]:
    assert one["function"] and one["metric"] == "time" and (one["precision"] is None or one["precision"] > 0)
    print(*one["sentences"] or ["nothing to advise: all that was read varied"], sep="\n")
END
same sentences in_json
run 2 advise calls.fathom -f nothing
run 2 advise nowhere.fathom

# A sweep: five values, then middles, all kept in the profile.
run 0 sweep -q -f work -m mem --precision 5% --runs 7 -o swept.fathom -- "$build/fixtures/elements-old" 10 10 '{100..20000}'
says '100*n'
[ "$(sqlite3 swept.fathom 'SELECT count(*) FROM run')" -ge 5 ] || fail 'it did not run five times'
[ "$(sqlite3 swept.fathom "SELECT count(*) FROM run WHERE command LIKE '% 10 10 100' OR command LIKE '% 10 10 20000'")" -eq 2 ] ||
	fail 'the ends were not tried'
for wrong in '{3..2}' '{0..2}' '{a..2}' '{1..}'; do
	run 2 sweep -f work -- "$build/fixtures/elements-old" "$wrong"
	complains 'is no range of numbers'
done
run 2 sweep -f work -- "$build/fixtures/elements-old" 3
complains 'what is varied?'
run 2 sweep -- "$build/fixtures/elements-old" '{1..2}'
complains 'which function?'
