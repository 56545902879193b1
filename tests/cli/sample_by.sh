#!/bin/sh
# --sample-by keeps the calls of the same values in programs that know nothing of each other, so that those of a client have their server's.
. "$(dirname "$0")/lib"

cat >both.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int serve(long key) { __asm__ volatile("" ::: "memory"); return key & 1; }
__attribute__((noinline)) int ask(long id) { __asm__ volatile("" ::: "memory"); return id & 1; }
int main(int argc, char **argv)
{
	const long n = atol(argv[1]);
	int sum = 0;
	for (long i = 0; i < n; i++)
		sum += argc > 2 ? serve(n - i) : ask(i + 1);
	printf("%d\n", sum);
}
END
${CC:-cc} -O1 -g both.c -o both || fail 'the program is not built'

run 0 run --no-models -f ask --max-overhead none --sample-by id=2% -o client -- ./both 20000
kept=$(sqlite3 client 'SELECT count(*) FROM ask')
# Of 20,000 values 400 are expected, with a standard deviation of 20.
[ "$kept" -gt 300 ] && [ "$kept" -lt 500 ] || fail "$kept calls are kept"
grep -q "ask: $((20000 - kept)) of 20000 calls are no samples, as --sample-by chose others" errors || fail 'what was left out is not told'
run 0 run -q --no-models -f serve --max-overhead none --sample-by key=2% -o server -- ./both 20000 x
# finds_all PROFILE: all of the client's have their server's, but that some may have been held up by others longer than the client's.
finds_all() {
	run 0 merge client "$1" -o joint --match 'ask.id = serve.key' --no-models
	matched=$(sed -n "s/.*ask: \([0-9]*\) of $kept calls are matched.*/\1/p" errors)
	slower=$(sed -n "s/.*ask: \([0-9]*\) of $kept calls waited for less time.*/\1/p" errors)
	[ "$((matched + slower))" -eq "$kept" ] && [ "$matched" -gt "$((kept / 2))" ]
}
finds_all server || fail 'not all of the calls have their server'
# More of them are those, and others.
run 0 run -q --no-models -f serve --max-overhead none --sample-by key=10% -o more -- ./both 20000 x
finds_all more || fail 'a larger part does not have the smaller one'

run 2 run -q --no-models -f ask --sample-by other=2% -o none -- ./both 100
complains "ask has no feature 'other'"
run 2 run -f ask --sample-by id -- ./both 100
complains "--sample-by is like 'request->id=1%'"
run 2 run -f ask --sample-by id=2 -- ./both 100
complains "'2' is not a number from 0 to 1"
