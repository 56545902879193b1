/*
 * How long a mixture of many numbers takes; bench/mixture runs it.
 *
 * Usage: time_mixture N TURNS: a line a kind of numbers, with the components found, the median and
 * the longest of TURNS turns, in milliseconds of processor time.
 */
#include <stdio.h>
#include <time.h>

#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "model/mixture/mixture.h"

#include "random_numbers.h"

static double one(struct random *random)
{
	return exp(random_normal(random));
}

static double two(struct random *random)
{
	return (random_uniform(random) < 0.9 ? 10 : 30) * (1 + 0.05 * random_normal(random));
}

static double eight(struct random *random)
{
	return 10 * (1 + floor(8 * random_uniform(random))) + random_normal(random);
}

static double pages(struct random *random)
{
	return random_uniform(random) < 0.7 ? 0 : 4096 * floor(20 + 2 * random_normal(random));
}

static const struct {
	const char *name;
	double (*draw)(struct random *random);
} laws[] = {{"one hump", one}, {"two", two}, {"eight", eight}, {"zeros and pages", pages}};

static double processor_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	size_t turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
	double *y = mem_alloc(n * sizeof(*y));
	double *times = mem_alloc(turns * sizeof(*times));
	size_t law, turn, i;

	if (!n || !turns)
		return 1;
	for (law = 0; law < sizeof(laws) / sizeof(*laws); law++) {
		struct mixture mixture;
		struct random random;

		for (turn = 0; turn < turns; turn++) {
			random_init(&random, turn);
			for (i = 0; i < n; i++)
				y[i] = laws[law].draw(&random);
			times[turn] = -processor_ms();
			mixture_find(y, n, 0, 0, &mixture);
			times[turn] += processor_ms();
		}
		gsl_sort(times, 1, turns);
		printf("%-16s %u components  %7.1f ms, at most %.1f\n", laws[law].name, mixture.n,
		       times[turns / 2], times[turns - 1]);
	}
	free(times);
	free(y);
	return 0;
}
