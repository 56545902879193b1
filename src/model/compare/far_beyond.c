/* Bounds that need no independence. */
#include "far_beyond.h"

#include <math.h>

#include "model/data/stats.h"
#include "run_shape.h"

/* A median so many deviations away is not what the model describes. */
#define BEYOND 4.0

/* If fewer are so far away, the model may be of one kind of calls that come in long rows. */
#define BEYOND_MOST 0.95

/* Of the deviation's own error, 1 / sqrt(2 n) of it. */
#define DEVIATION_ERRORS 4.0

struct far_beyond far_beyond_find(double *away, size_t n, size_t n_model)
{
	const double few = n_model ? DEVIATION_ERRORS / sqrt(2 * (double)n_model) : 0;
	struct far_beyond ret;
	size_t n_beyond = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		away[i] /= 1 + few;
		n_beyond += away[i] > BEYOND;
	}
	ret.median = stats_median(away, n);
	ret.is_far = ret.median > BEYOND;
	ret.has_most = ret.is_far && (double)n_beyond > BEYOND_MOST * (double)n;
	return ret;
}

static double bound(double k)
{
	return 2 / (1 + k * k);
}

double far_beyond_chance(const struct far_beyond *beyond)
{
	return beyond->has_most ? bound(beyond->median) : 1;
}

double far_beyond_chance_of_runs(const struct far_beyond *beyond, const struct run_spread *spread,
				 const struct run_means *sides, double away)
{
	double p = bound(beyond->median / 2);

	if (!beyond->has_most || !isfinite(away))
		return 1;
	if (spread)
		p += fmax(run_effect_chance(spread, away / 2, 0, INFINITY),
			  run_shape_chance(sides, spread, away / 2));
	return p;
}
