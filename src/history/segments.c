/* Permutations have a fixed seed: the same series has the same changes. */
#include "segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"

enum { PERMUTATIONS = 9999 };

/*
 * The largest |mean before - mean behind| in standard errors if the deviation were 1; *@ret: the
 * first point behind. Permutations do not change the deviation, so it does not matter.
 */
static double find_split(const double *series, size_t n, size_t *ret)
{
	double all = 0, before = 0, most = -1;

	for (size_t i = 0; i < n; i++)
		all += series[i];
	for (size_t i = 1; i < n; i++) {
		const double left = (double)i, right = (double)(n - i);
		double away;

		before += series[i - 1];
		away = fabs(before / left - (all - before) / right) * sqrt(left * right / n);
		if (away > most) {
			most = away;
			*ret = i;
		}
	}
	return most;
}

static void segments_shuffle(double *series, size_t n, struct random_state *random)
{
	for (size_t i = n - 1; i > 0; i--) {
		const size_t j = random_next(random) % (i + 1);
		const double kept = series[i];

		series[i] = series[j];
		series[j] = kept;
	}
}

/* Do at most @alpha of all permutations have as large a split? */
static bool is_rare(const double *series, size_t n, double split, double alpha)
{
	const double most = alpha * (1 + PERMUTATIONS) - 1; /* the series itself is one */
	struct random_state random = {.state = 1};
	double *copy = mem_alloc(n * sizeof(*copy));
	size_t i, ignored, as_large = 0;

	memcpy(copy, series, n * sizeof(*copy));
	for (i = 0; i < PERMUTATIONS && as_large <= most; i++) {
		segments_shuffle(copy, n, &random);
		/* Of equal points the splits differ by rounding. */
		as_large += find_split(copy, n, &ignored) >= split * (1 - 1e-9);
	}
	free(copy);
	return as_large <= most;
}

static size_t find_within(const double *series, size_t n, double alpha, bool *ret)
{
	size_t at = 0;
	double split;

	if (n < segments_least(alpha))
		return 0;
	split = find_split(series, n, &at);
	if (!(split > 0) || !is_rare(series, n, split, alpha))
		return 0;
	ret[at] = true;
	return 1 + find_within(series, at, alpha, ret) +
	       find_within(series + at, n - at, alpha, ret + at);
}

size_t segments_find(const double *series, size_t n, double alpha, bool *ret)
{
	memset(ret, 0, n * sizeof(*ret));
	return find_within(series, n, alpha, ret);
}

/* Half of the points on each side of a step: two orders of them are as extreme as it is. */
size_t segments_least(double alpha)
{
	double orders = 1;
	size_t n = 1;

	while (2 / orders > alpha && n < 64) {
		n++;
		orders = orders * (double)n / (double)((n + 1) / 2);
	}
	return n;
}
