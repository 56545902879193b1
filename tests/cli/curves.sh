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
for kind in kernel bins sturges rice sqrt scott fd mean median exponential; do
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

# Over the order of calls, or a named feature; where no formula holds predict and JSON go by a curve unasked.
run 0 annotate calls.fathom -m time -f wave --curve mean --over order
says '; over calls in their order'
cp output order.ann
run 0 predict order.ann wave order=300 --curve mean
says 'by a curve (mean)'
run 0 annotate calls.fathom -m time -f wave --curve mean --over m
grep -q 'no curve over m, which is none of its features' errors || fail 'it is not said that there is no such feature'
! grep -q Curve output || fail 'there is a curve over another feature'
python3 - >noise.csv <<'END'
import math
print("function,run,time,n")
for i in range(600):
    n = 10 + i * 7 % 991
    print(f"noisy,1,{math.exp(math.sin(n / 37) * 2 + math.sin(i * 12.9898) * 1.5) * 10},{n}")
END
run 0 import noise.csv -o noise.fathom
run 0 annotate noise.fathom -m time --json
grep -q '"unexplained": true' output || fail 'a formula explains the noise'
grep -q '"kind": "kernel"' output || fail 'JSON has no curve where nothing explains the cost'
run 0 predict noise.fathom noisy n=500
says 'by a curve (kernel)'
run 2 predict noise.fathom noisy n=2000
complains 'a curve says nothing outside of 10 to 1000'

run 0 annotate calls.fathom -m time --curve median --json
python3 -c '
import json
curves = [a["curve"] for a in json.load(open("output"))["annotations"]]
assert len(curves) == 2 and all(c["kind"] == "median" and c["over"] == "n" and len(c["points"]) > 20 for c in curves)
assert all(p["low"] <= p["y"] <= p["high"] for c in curves for p in c["points"])' || fail 'JSON has no curves'
run 0 export calls.fathom -f wave --plots pictures --html page.html --curve kernel
grep -q 'curve (kernel)' pictures/wave.time.scatter.svg page.html || fail 'pictures have no curve'
run 2 annotate calls.fathom --curve spline
complains 'fd, mean, median or exponential'
