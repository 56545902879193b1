/* Finds far rows; fit.c and model/compare leave them out. */
#include "far_rows.h"

#include <math.h>

#include <gsl/gsl_statistics_double.h>

#include "model/data/stats.h"

/* A median so many deviations away is not what the model describes. */
#define BEYOND 4.0

/* If fewer are so far away, the model may be of one kind of calls that come in long rows. */
#define BEYOND_MOST 0.95

/* Of the deviation's own error, 1 / sqrt(2 n) of it. */
#define DEVIATION_ERRORS 4.0

/* Far is FAR_ROWS_SCALES away, and this part of what the model explains. */
#define FAR_PART   0.1
#define FAR_MOST   0.2
#define FAR_HIDING 0.1 /* the least share of residual squares that they hold */
/* Without a formula: beyond usual noise. */
#define FAR_CONSTANT 20.0
#define SCALE_NONE   1e-8 /* nearly all are equal: distance means nothing */

static bool is_far(const struct robust *robust, size_t i, double explained, double least)
{
	const double residual = fabs(robust->residual[i]);

	if (residual <= least)
		return false;
	if (explained > 0)
		return residual > FAR_ROWS_SCALES * robust->scale * robust->spread[i] &&
		       residual > FAR_PART * explained;
	return residual > FAR_CONSTANT * robust->scale;
}

static bool is_too_many(size_t far, size_t n, bool explains)
{
	return explains ? far > fmax(FAR_MOST * n, 1) : far > FAR_ROWS_FEW * n;
}

size_t far_rows_find(const struct robust *robust, size_t n, double least, bool *ret)
{
	const double explained = n > 1 ? gsl_stats_sd(robust->fitted, 1, n) : 0;
	const bool explains = explained > 0;
	double all = 0, hiding = 0;
	size_t far = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const double square = robust->residual[i] * robust->residual[i];

		ret[i] = is_far(robust, i, explained, least);
		all += square;
		hiding += ret[i] ? square : 0;
		far += ret[i];
	}
	if (is_too_many(far, n, explains) ||
	    (explains ? hiding < FAR_HIDING * all : robust->scale <= SCALE_NONE))
		return 0;
	return far;
}

struct far_beyond far_rows_beyond(double *away, size_t n, size_t n_model)
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

double far_rows_chance(const struct far_beyond *beyond, double part)
{
	return beyond->has_most ? 2 / (1 + pow(part * beyond->median, 2)) : 1;
}
