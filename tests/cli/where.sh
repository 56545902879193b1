#!/bin/sh
# --where selects calls, annotations say so, read that back, and check applies it to new samples.
. "$(dirname "$0")/lib"

python3 - >calls.csv <<'END'
print("function,run,time,switches,n,kind")
for i in range(600):
    n, late = 10 + i * 7 % 991, i % 10 < 3  # 420 of 600 calls are not late
    print(f"enc,{1 + i % 2},{(5 + 2 * n) * (10 if late else 1) * (1 + (i * 31 % 21 - 10) / 500)},{int(late)},{n},{'RED' if i % 3 else 'BLUE'}")
    print(f"other,1,{n},,,")
END
run 0 import calls.csv -o calls.fathom
run 0 annotate calls.fathom -m time --where 'switches == 0'
says 'where: switches == 0;  // 420 of 600 samples'
grep -q '1 function is left out: switches of other was not measured' errors || fail 'what is left out is not told'
sed -n 's/.*R² \(0[.0-9]*\),.*/\1/p' output | awk '{ n++; ok = $1 > 0.95 } END { exit !(n == 1 && ok) }' ||
	fail 'of the calls that are not late there is no single formula'
cp output enc.ann

# Half of the calls that are not late, twice as dear, are found; the late ones are no matter.
run 0 check enc.ann calls.fathom
says 'enc.time where switches == 0: conforms (420 samples'
awk -F, -v OFS=, 'NR > 1 && $4 == 0 { $3 *= 2 } { print }' calls.csv >dearer.csv
awk -F, -v OFS=, 'NR > 1 && $4 == 1 { $3 *= 2 } { print }' calls.csv >later.csv
run 0 import dearer.csv -o dearer.fathom
run 0 import later.csv -o later.fathom
run 1 check enc.ann dearer.fathom
run 0 check enc.ann later.fathom
run 0 check -q enc.ann later.fathom --where 'run == 1'
says 'where (switches == 0) && (run == 1): conforms (180 samples'
run 1 diff calls.fathom later.fathom -f enc -m time
for quiet in '' -q; do
	# shellcheck disable=SC2086
	run 2 diff $quiet calls.fathom later.fathom -f enc -m time --where 'swithces == 0'
	[ "$(grep -c 'have no swithces' errors)" -eq 1 ] || fail 'the reason is not said once'
done
run 0 diff calls.fathom later.fathom -f enc -m time --where 'switches == 0'
says 'enc.time where switches == 0: unchanged'

run 0 predict enc.ann enc n=100
says 'enc.time where switches == 0: 2'
run 0 predict calls.fathom enc n=100 -m time --where 'switches == 1 && kind == RED && exit == returned'
says 'enc.time where switches == 1 && kind == RED && exit == returned: 20'
run 2 predict enc.ann enc n=100 --where 'switches == 1'
complains 'has no annotation of enc that says where: switches == 1'
run 0 export calls.fathom --csv --where 'n < 40 && n >= 20'
[ "$(grep -c '^enc,' output)" -eq "$(awk -F, '$5 < 40 && $5 >= 20' calls.csv | grep -c enc)" ] && grep -q '^enc,' output || fail 'export --csv has other rows'

for wrong in 'nn > 3/the samples of enc have no nn (near: n)' 'n >/is missing at the end of the condition' 'n > 5000/no call of enc fulfils n > 5000, of 600 samples' \
	'n == kind/a feature goes in parentheses' 'time > 2 * predicted/of calls at the prompt' 'cpu > 1/cpu of enc was not measured'; do
	run 2 annotate calls.fathom -f enc --where "${wrong%%/*}"
	complains "${wrong#*/}"
	run 2 export --csv calls.fathom -f enc --where "${wrong%%/*}"
	complains "${wrong##*/}"
done
sed 's/where: .*;/where: n > ;/' enc.ann >wrong.ann
run 2 check wrong.ann calls.fathom
run 2 explore calls.fathom --where 'n >'
complains 'is missing at the end of the condition'

# Annotations call the class of *p `p`, and so may a condition.
python3 - >classes.csv <<'END'
print("function,time,p != 0,typeid(*p)")
for i in range(40):
    print(f"of,{i},1,{'Bundle' if i % 4 else 'Flat'}")
END
run 0 import classes.csv -o classes.fathom
run 0 annotate classes.fathom --where 'p == Bundle'
says '30 of 40 samples'
