/* Means, quantiles and standard errors of series. Callers do the tests. */
#include "stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/mem.h"
#include "base/numbers.h"

enum { EFFECTIVE_MIN = 2 };

double stats_mean(const double *values, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += values[i] / (double)n;
	return sum;
}

double stats_median(const double *values, size_t n)
{
	return n ? stats_quantile(values, n, 0.5) : 0;
}

double stats_quantile(const double *values, size_t n, double share)
{
	double *sorted = mem_alloc((n + 1) * sizeof(*sorted));
	double at = share * (double)(n ? n - 1 : 0);
	size_t below = (size_t)at;
	double found = NAN;

	memcpy(sorted, values, n * sizeof(*sorted));
	numbers_sort(sorted, n);
	if (n)
		found = sorted[below];
	if (below + 1 < n)
		found += (at - (double)below) * (sorted[below + 1] - sorted[below]);
	free(sorted);
	return found;
}

double stats_mean_square(const double *values, size_t n, double around)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (values[i] - around) * (values[i] - around) / (double)n;
	return sum;
}

double stats_median_distance(const double *values, size_t n, double around)
{
	double *away = mem_alloc((n + 1) * sizeof(*away));
	double middle;
	size_t i;

	for (i = 0; i < n; i++)
		away[i] = fabs(values[i] - around);
	middle = stats_median(away, n);
	free(away);
	return middle;
}

/* The largest distance from @middle. */
static double farthest(const double *values, size_t n, double middle)
{
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		most = fmax(most, fabs(values[i] - middle));
	return most;
}

/* In parts of @scale. */
static double stats_deviation(const double *values, size_t n, double middle, double scale)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += pow((values[i] - middle) / scale, 2) / (double)n;
	return sqrt(sum);
}

double stats_error(const double *values, size_t n)
{
	const double middle = stats_mean(values, n);
	const double scale = farthest(values, n, middle);

	if (n < 2 || !(scale > 0))
		return 0;
	return stats_deviation(values, n, middle, scale) / sqrt(stats_effective(values, n)) * scale;
}

double stats_effective(const double *values, size_t n)
{
	const double middle = stats_mean(values, n);
	const double scale = farthest(values, n, middle);
	double product = 0;
	double rho;
	size_t i;

	if (n < 3 || !(scale > 0) || !isfinite(scale))
		return (double)n;
	for (i = 1; i < n; i++)
		product += (values[i] - middle) / scale * ((values[i - 1] - middle) / scale) /
			   (double)(n - 1);
	rho = fmin(fmax(product / pow(stats_deviation(values, n, middle, scale), 2), 0), 0.99);
	return fmax((double)n * (1 - rho) / (1 + rho), EFFECTIVE_MIN);
}

double stats_chance(double away, double allowed, double error, double freedom)
{
	const double beyond = fabs(away) - allowed;
	const double other = fabs(away) + allowed;

	if (beyond <= 0)
		return 1;
	if (!(error > 0))
		return 0;
	return fmin(gsl_cdf_tdist_Q(beyond / error, fmax(freedom, 1)) +
			    gsl_cdf_tdist_Q(other / error, fmax(freedom, 1)),
		    1);
}

double stats_rank_chance(double r, double n)
{
	if (!(r > 0) || n < 3)
		return 1;
	return gsl_cdf_tdist_Q(r * sqrt((n - 2) / fmax(1 - r * r, DBL_EPSILON)), n - 2);
}
