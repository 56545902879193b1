#!/bin/sh
# Who becomes a sample is chance, however fast calls come: by pads, of 10 to 10^7 calls a second, in their positions and in pairs.
# not sanitized: it asks for many calls in little time
. "$(dirname "$0")/lib"

cat >rate.c <<'END2'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3 + 1;
}

/* rate CALLS PAUSE: in ns, up to 1000 in turns of a loop */
int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = atol(argv[2])};
	const long calls = atol(argv[1]);

	for (long n = 0; n < calls; n++) {
		work(n);
		if (pause.tv_nsec > 1000)
			nanosleep(&pause, NULL);
		for (volatile long i = pause.tv_nsec; i > 0 && i <= 1000; i--)
			;
	}
	return 0;
}
END2
cc -g -O2 -o rate rate.c || fail 'cannot compile'

# Chi-square of ten parts of the run has a mean of 9 and a standard deviation of sqrt(18); of pairs, how many are in the same fiftieth. Neither is
# 5 deviations off but by a chance below 1e-5.
cat >fair.py <<'END2'
import sqlite3, sys
calls, least = int(sys.argv[1]), int(sys.argv[2])
numbers = [row[0] for row in sqlite3.connect("fair.fathom").execute("SELECT n FROM work")]
k = len(numbers)
assert least <= k <= 400 and len(set(numbers)) == k and max(numbers) < calls, f"{k} samples"
def parts(n):
    counts = [0] * n
    for number in numbers:
        counts[number * n // calls] += 1
    return counts
chi = sum((count - k / 10) ** 2 for count in parts(10)) / (k / 10)
assert chi < 9 + 5 * 18 ** 0.5, f"chi-square {chi} of {parts(10)}"
pairs = sum(count * (count - 1) / 2 for count in parts(50))
expected = k * (k - 1) / 2 / 50
assert abs(pairs - expected) < 5 * (expected * 49 / 50) ** 0.5, f"{pairs} pairs, not {expected}"
END2

# fair CALLS PAUSE LEAST: at least so many are kept, and each has the same chance.
fair() {
	rm -f fair.fathom
	run 0 run -q --probes pads --max-overhead none --samples 400 --period 0 --globals none -f work -o fair.fathom --no-models -- ./rate "$1" "$2"
	[ "$(sqlite3 fair.fathom 'SELECT calls FROM account')" = "$1" ] || fail "$1 calls: not all are counted"
	python3 fair.py "$1" "$3" 2>wrong || fail "$1 calls, a pause of $2: $(tail -n 1 wrong)"
}
fair 10 100000000 10 # all
fair 1000 1000000 400
fair 300000 1000 20
fair 10000000 0 20
exit 0
