#!/bin/sh
# not sanitized: costs are for real
# Calls that a stop begins and a pad ends, one in another: no stop takes time from the calls around it. Here it is a pad that asks, as what is
# to be read may fault: pointers lead nowhere. Each call spins for 1 µs of its thread's own time, so that a call of depth n has 2^(n+1) - 1 µs.
. "$(dirname "$0")/lib"

cat >asked.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <x86intrin.h>

struct item {
	int number;
	struct item *next;
	char *text;
};

static uint64_t us_ticks;

static uint64_t ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Steps that take long are not its own: it was interrupted. */
static void spin(void)
{
	enum { STEP_MOST = 200 };
	uint64_t done = 0, before = __rdtsc();

	while (done < us_ticks) {
		const uint64_t now = __rdtsc();

		done += now - before < STEP_MOST ? now - before : 0;
		before = now;
	}
}

__attribute__((noinline, noclone)) int descend(struct item *item, int n, int round)
{
	int sum = item->number;

	spin();
	if (n > 0)
		sum += descend(item, n - 1, round);
	if (n > 0)
		sum += descend(item, n - 1, round);
	return sum + 1;
}

int main(void)
{
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct item item = {.number = 1, .next = (struct item *)page, .text = page + 64};
	const uint64_t begin_ns = ns(), begin = __rdtsc();
	int sum = 0;

	while (ns() < begin_ns + 20000000)
		;
	us_ticks = (__rdtsc() - begin) / ((ns() - begin_ns) / 1000);
	for (int round = 0; round < 20; round++)
		sum += descend(&item, 4, round);
	printf("%d\n", sum);
	return 0;
}
END
cc -g -O1 -o asked asked.c || fail 'cannot compile'

# In the first rounds loads fault, and code is changed: such stops are no questions, and are only calibrated. 1 %: rates of clocks.
run 0 run -q --no-models --probes pads --max-overhead none --samples all -f descend -o asked.fathom -- ./asked
database() {
	sqlite3 asked.fathom "$1"
}
[ "$(database 'SELECT count(*) FROM descend WHERE round >= 3')" = $((17 * 31)) ] || fail 'not every call became a sample'
[ "$(database 'SELECT stops FROM run')" -ge $((17 * 31)) ] || fail 'no pad has asked'
wrong=$(database 'SELECT count(*) FROM descend WHERE round >= 3 AND time + coalesce(waited_ns, 0) / 1000.0 < 0.99 * ((2 << n) - 1)')
[ "$wrong" = 0 ] || fail "$wrong calls seem shorter than they spun"
wrong=$(database 'SELECT count(*) FROM descend AS caller WHERE round >= 3 AND time + coalesce(waited_ns, 0) / 1000.0 + 0.01 < (SELECT
	sum(time) FROM descend WHERE parent = caller.id)')
[ "$wrong" = 0 ] || fail "$wrong calls seem shorter than their callees"
