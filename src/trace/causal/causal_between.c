/* Stretches by their lengths. Who waits for whom: causal_threads.c. */
#include "causal_between.h"

#include <math.h>

void causal_between_on(struct causal_stretch *stretch, uint64_t when_ns)
{
	stretch->on_ns = when_ns;
}

void causal_between_off(struct causal_stretch *stretch, uint64_t when_ns)
{
	if (stretch->on_ns)
		stretch->ran_ns += when_ns - stretch->on_ns;
	stretch->on_ns = 0;
}

void causal_between_restart(struct causal_stretch *stretch, uint64_t now_ns)
{
	stretch->ran_ns = 0;
	if (stretch->on_ns)
		stretch->on_ns = now_ns;
}

static void between_add_ns(struct causal_between *between, double ran_ns)
{
	const double at = 2 * log2(ran_ns / 1000);

	between->sums_ns[(int)fmin(fmax(at, 0), CAUSAL_LENGTHS - 1)] += ran_ns;
}

void causal_between_waited(struct causal_between *between, struct causal_stretch *stretch)
{
	between_add_ns(between, (double)stretch->ran_ns);
	stretch->ran_ns = 0;
}

void causal_between_add(struct causal_between *between, const struct causal_stretch *stretch,
			uint64_t now_ns)
{
	const uint64_t on_ns = stretch->on_ns ? now_ns - stretch->on_ns : 0;

	between_add_ns(between, (double)(stretch->ran_ns + on_ns));
}

uint64_t causal_between_median_ns(const struct causal_between *between)
{
	double sum = 0, shorter = 0;
	size_t i;

	for (i = 0; i < CAUSAL_LENGTHS; i++)
		sum += between->sums_ns[i];
	if (sum <= 0)
		return 0;
	for (i = 0; i < CAUSAL_LENGTHS && 2 * (shorter + between->sums_ns[i]) < sum; i++)
		shorter += between->sums_ns[i];
	return (uint64_t)(1000 * exp2(((double)i + 0.5) / 2));
}

bool causal_between_is_late(uint64_t median_ns, double pause_ns)
{
	return median_ns && pause_ns > CAUSAL_PAUSE_MOST * (double)median_ns;
}
