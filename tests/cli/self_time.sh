#!/bin/sh
# What calls cost without their measured callees: nest() works for half of its time and has ten parts of the other half.
# alone: it compares times
# not sanitized: costs are for real
. "$(dirname "$0")/lib"

for program in "$build"/fixtures/spin-*; do
	rm -f spin.fathom
	run 0 run -q -m time,self.time --max-overhead none --samples 100000 -f nest -f part -o spin.fathom --no-models \
		-- "$program" 20 1000
	# Callees are subtracted to the last digit, unless that left less than nothing, and each is known to its caller.
	wrong=$(sqlite3 spin.fathom '
		SELECT count(*) FROM (
			SELECT nest.time AS whole, nest."self.time" AS self, sum(part.time) AS parts, count(*) AS n,
				min(part.time) AS least
			FROM nest JOIN part ON part.parent = nest.id GROUP BY nest.id)
		WHERE n <> 10 OR (least > 0 AND self > 0 AND abs(whole - self - parts) > 1e-6 * whole)')
	[ "$wrong" = 0 ] || fail "$(basename "$program"): $wrong calls are not the sum of their parts"
	[ "$(sqlite3 spin.fathom 'SELECT count(*) FROM part WHERE "self.time" <> time')" = 0 ] ||
		fail "$(basename "$program"): calls without callees are more than themselves"
done

# Time and self time of calls of 1 ms may be off by 3 % each: the ratio is within 0.5 * 0.97 / 1.03 and 0.5 * 1.03 / 0.97,
# 0.47 and 0.53. And the whole is what the program says of the twin of that function: by 3 %, and as much for the
# twin, whose calls are others.
attempt() {
	rm -f spin.fathom
	run 0 run -q -m time,self.time --max-overhead none --samples 100000 -f nest -f part -o spin.fathom --no-models \
		-- "$build/fixtures/spin-gcc-O2" 60 1000
	# On a busy machine some may be less than nothing by more than can be told: they are absent.
	sqlite3 -separator ' ' spin.fathom 'SELECT time, "self.time" FROM nest WHERE n = (SELECT max(n) FROM nest) AND "self.time" IS NOT NULL' \
		>measured
	python3 - <<'END'
import statistics
rows = [[float(number) for number in line.split()] for line in open("measured")]
time, own = [statistics.median(column) for column in zip(*rows)]
tenth = lambda numbers: statistics.quantiles(numbers, n=10)[0]  # by the program's clock most calls may have waited for a processor
lines = [line.split() for line in open("output")]
longest = max(int(n) for word, n, _ in lines if word == "nest")
truth = tenth([float(ns) / 1000 for word, n, ns in lines if word == "nest" and int(n) == longest])
least = tenth([row[0] for row in rows])
print(len(rows), "calls:", time, "us, own", own, "us; a tenth take", least, "us at most; the program says", truth, "us")
assert 0.47 <= own / time <= 0.53, own / time
assert abs(least - truth) <= 0.06 * truth
END
}
five_attempts 'time and self time are not what the program does'
