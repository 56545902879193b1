/* Fits the family with one mode by a search over shapes; EM gives location and scale. */
#include "unimodal.h"

#include <math.h>

#include <gsl/gsl_statistics_double.h>

enum { ROUNDS_ONE = 20, ROUNDS_TWO = 40 };

/* The least deviation of a normal, as a part of that of all numbers. */
#define NARROWEST 1e-3

/* At most UNIMODAL_ROWS evenly spaced numbers. */
static size_t unimodal_thin(const double *x, size_t n, double *ret)
{
	size_t m = n < UNIMODAL_ROWS ? n : UNIMODAL_ROWS;
	size_t i;

	for (i = 0; i < m; i++)
		ret[i] = m == n ? x[i] : x[(size_t)((i + 0.5) * n / m)];
	return m;
}

/* Maximum log likelihood of a t distribution with @freedom for the rising numbers @u. */
static double fit_t(const double *u, size_t n, double freedom)
{
	double location = gsl_stats_median_from_sorted_data(u, 1, n);
	double square = gsl_stats_variance(u, 1, n) * (freedom > 2 ? 1 - 2 / freedom : 0.1);
	double constant =
		lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - 0.5 * log(freedom * M_PI);
	double sum = 0;
	unsigned round;
	size_t i;

	for (round = 0; round < ROUNDS_ONE; round++) {
		double weights = 0, first = 0, second = 0;

		for (i = 0; i < n; i++) {
			double d = u[i] - location;
			double w = (freedom + 1) / (freedom + d * d / square);

			weights += w;
			first += w * d;
			second += w * d * d;
		}
		location += first / weights;
		square = fmax(second - first * first / weights, 0) / weights;
		if (!(square > 0))
			return -INFINITY;
	}
	for (i = 0; i < n; i++) {
		double d = u[i] - location;

		sum -= (freedom + 1) / 2 * log1p(d * d / square / freedom);
	}
	return sum + n * (constant - 0.5 * log(square));
}

/* Log likelihood of the uniform distribution over @u, its ends a gap further out. */
static double fit_uniform(const double *u, size_t n)
{
	return -(double)n * log((u[n - 1] - u[0]) * (n + 1) / n);
}

/* The same of exp(-z^4) at the mean: flat, with soft shoulders. */
static double fit_flat(const double *u, size_t n)
{
	double location = gsl_stats_mean(u, 1, n);
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += pow(u[i] - location, 4);
	return -(double)n * (0.25 + log(2 * tgamma(1.25)) + 0.25 * log(4 * sum / n));
}

/*
 * Remove the skewness @bend in (-1, 1): a logarithm whose pole nears the lowest number (the
 * highest, if negative) as @bend nears 1. Returns the log determinant.
 */
static double straighten(const double *x, size_t n, double bend, double *ret)
{
	double middle = gsl_stats_median_from_sorted_data(x, 1, n);
	double reach = bend > 0 ? middle - x[0] : x[n - 1] - middle;
	double sum = 0;
	double rate;
	size_t i;

	/* The pole is one gap out even at full bend. */
	rate = bend / (reach + (x[n - 1] - x[0]) / n);
	for (i = 0; i < n; i++) {
		double inner = 1 + rate * (x[i] - middle);

		ret[i] = bend == 0 ? x[i] : log(inner) / rate;
		sum -= log(inner);
	}
	return sum;
}

static double best_of_family(const double *x, size_t n)
{
	static const double bends[] = {-1,   -0.97, -0.9, -0.75, -0.5, -0.25, 0,
				       0.25, 0.5,   0.75, 0.9,   0.97, 1};
	static const double freedoms[] = {1, 2, 3, 5, 10, 1000};
	double u[UNIMODAL_ROWS];
	double best = -INFINITY;
	size_t i, j;

	for (i = 0; i < sizeof(bends) / sizeof(*bends); i++) {
		double determinant = straighten(x, n, bends[i], u);

		best = fmax(best, fmax(fit_uniform(u, n), fit_flat(u, n)) + determinant);
		for (j = 0; j < sizeof(freedoms) / sizeof(*freedoms); j++)
			best = fmax(best, fit_t(u, n, freedoms[j]) + determinant);
	}
	return best;
}

struct normal {
	double share, mean, deviation;
};

static double log_density(const struct normal *one, double x)
{
	double z = (x - one->mean) / one->deviation;

	return log(one->share / one->deviation) - 0.5 * z * z - 0.5 * log(2 * M_PI);
}

/*
 * One round of EM; @first: each number's share in the first normal. Returns the log likelihood
 * before.
 */
static double unimodal_improve(const double *x, size_t n, double least, double *first,
			       struct normal *two)
{
	double sum = 0;
	unsigned k;
	size_t i;

	for (k = 0; k < 2; k++) {
		double total = 0, mean = 0, square = 0;

		for (i = 0; i < n; i++) {
			double w = k ? 1 - first[i] : first[i];

			total += w;
			mean += w * x[i];
		}
		mean /= total;
		for (i = 0; i < n; i++)
			square += (k ? 1 - first[i] : first[i]) * (x[i] - mean) * (x[i] - mean);
		two[k] = (struct normal){total / n, mean, fmax(sqrt(square / total), least)};
	}
	for (i = 0; i < n; i++) {
		double a = log_density(&two[0], x[i]);
		double b = log_density(&two[1], x[i]);

		sum += fmax(a, b) + log1p(exp(-fabs(a - b)));
		first[i] = 1 / (1 + exp(b - a));
	}
	return sum;
}

/* Log likelihood of two normals; -INFINITY if one of them loses its numbers. */
static double fit_two(const double *x, size_t n, double border)
{
	double least = NARROWEST * gsl_stats_sd(x, 1, n);
	double first[UNIMODAL_ROWS];
	struct normal two[2];
	double sum = -INFINITY;
	unsigned round;
	size_t i;

	for (i = 0; i < n; i++)
		first[i] = x[i] < border;
	for (round = 0; round < ROUNDS_TWO; round++) {
		sum = unimodal_improve(x, n, least, first, two);
		if (!isfinite(sum) || two[0].share * n < 1.5 || two[1].share * n < 1.5)
			return -INFINITY;
	}
	return sum;
}

double unimodal_against_two(const double *x, size_t n, size_t below)
{
	double some[UNIMODAL_ROWS];
	size_t m = unimodal_thin(x, n, some);
	double two;

	if (below == 0 || below >= n || !(some[m - 1] > some[0]))
		return -INFINITY;
	if (!(some[0] < x[below]) || !(some[m - 1] >= x[below]))
		return -INFINITY;
	two = fit_two(some, m, x[below]);
	return isfinite(two) ? two - best_of_family(some, m) : -INFINITY;
}

double unimodal_log_likelihood(const double *x, size_t n)
{
	double some[UNIMODAL_ROWS];
	size_t m = unimodal_thin(x, n, some);

	if (!m || !(some[m - 1] > some[0]))
		return INFINITY;
	return best_of_family(some, m) / m * n;
}
