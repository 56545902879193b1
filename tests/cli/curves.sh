#!/bin/sh
# Where no formula holds, --curve says what calls cost, in texts, JSON and pictures, and predict goes
# by it, but not beyond the calls that were seen; formulas that are wrong somewhere are told.
. "$(dirname "$0")/lib"

python3 - >calls.csv <<'END'
import math
print("function,run,time,n")
for i in range(600):
    n, noise = 10 + i * 7 % 991, 1 + (i * 31 % 21 - 10) / 300
    print(f"wave,1,{(50 + 30 * math.sin(n / 60)) * noise},{n}")
    print(f"line,1,{(5 + 2 * n) * noise},{n}")
END
run 0 import calls.csv -o calls.fathom
run 0 annotate calls.fathom -m time
! grep -q Curve output || fail 'nobody asked for a curve'
for kind in kernel bins mean median exponential; do
	run 0 annotate calls.fathom -m time --curve $kind
	test "$(grep -c "// Curve, $kind: .*; over n\$" output)" = 2 || fail "no curve by $kind"
	cp output $kind.ann
done
test "$(grep -c 'Where n is .* than the formula says' kernel.ann)" = 1 || fail 'line is found wrong, or wave is not'

# 50 + 30 sin(100 / 60) is 79.9; the smoothing takes a bit of the peak.
run 0 predict kernel.ann wave n=100 --curve kernel
awk '{ exit !($2 > 78 && $2 < 81) }' output || fail 'the wave is not followed'
says 'by a curve (kernel), which is between'
run 2 predict calls.fathom wave n=5000 --curve kernel
complains 'a curve says nothing outside of 10 to 1000'
run 0 predict calls.fathom line n=5000 # a formula does
run 2 predict kernel.ann wave n=x --curve kernel
complains 'that is not a number'
run 2 predict kernel.ann wave --curve kernel
complains 'a curve over n: give its value'

run 0 annotate calls.fathom -m time --curve median --json
python3 -c '
import json
curves = [a["curve"] for a in json.load(open("output"))["annotations"]]
assert len(curves) == 2 and all(c["kind"] == "median" and c["over"] == "n" and len(c["points"]) > 20 for c in curves)
assert all(p["low"] <= p["y"] <= p["high"] for c in curves for p in c["points"])' || fail 'JSON has no curves'
run 0 export calls.fathom -f wave --plots pictures --html page.html --curve kernel
grep -q 'curve (kernel)' pictures/wave.time.scatter.svg page.html || fail 'pictures have no curve'
run 2 annotate calls.fathom --curve spline
complains 'none, kernel, bins, mean, median or exponential'
