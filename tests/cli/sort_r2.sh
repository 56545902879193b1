#!/bin/sh
# The annotation of the list sort explains 98 % of the variance, on a machine whose sorts are that even.
# alone: it models times
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

attempt() {
	run 0 run -f 'std::list<int>::sort' -r report --json -- "$build/fixtures/sort"
	python3 - report <<'END'
import json, sys
[annotation] = json.load(open(sys.argv[1]))["annotations"]
[model] = annotation["models"]
print(annotation["text"])
assert model["class"] == "nlogn", model["class"]
assert model["r2"] >= 0.98, model["r2"]
END
}

# What the sorts take by the program's own clock, unmeasured: is that n log n with an R² of 0.98?
machine_is_noisy() {
	"$build/fixtures/sort" 75 1000 200000 times >native
	python3 - native <<'END'
import math, sys
rows = [(float(a), float(b)) for a, b in (line.split() for line in open(sys.argv[1]) if " " in line)]
design = [(1, n, n * math.log(n)) for n, _ in rows]
# Normal equations in scaled columns, solved by elimination.
scale = [max(abs(r[k]) for r in design) for k in range(3)]
design = [[r[k] / scale[k] for k in range(3)] for r in design]
m = [[sum(r[i] * r[j] for r in design) for j in range(3)] +
     [sum(r[i] * y for r, (_, y) in zip(design, rows))] for i in range(3)]
for i in range(3):
    m[i] = [x / m[i][i] for x in m[i]]
    for j in range(3):
        if j != i:
            m[j] = [x - m[j][i] * z for x, z in zip(m[j], m[i])]
mean = sum(y for _, y in rows) / len(rows)
left = sum((y - sum(m[k][3] * r[k] for k in range(3))) ** 2 for r, (_, y) in zip(design, rows))
r2 = 1 - left / sum((y - mean) ** 2 for _, y in rows)
print("by its own clock R² is %.3f" % r2)
sys.exit(0 if r2 < 0.98 else 1)
END
}
# Where nothing can be judged there need be no measurement.
if machine_is_noisy >noise && machine_is_noisy >>noise; then
	cat noise
	echo 'the machine is too uneven to judge: R² is below 0.98 by its own clock, too'
	exit 77
fi
five_attempts 'R² is below 0.98'
