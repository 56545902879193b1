/* Small samples: W by Royston's polynomials, F of distances from medians, permutations. */
#include "run_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/numbers.h"
#include "model/data/stats.h"

enum { NORMAL_LEAST = 3, NORMAL_MOST = 5000, PERMUTATIONS = 10000 };

/* With 7 runs a side there are 3432 orders, so that Holm's correction still leaves some. */
#define ORDERS_LEAST 1000.0

static double polynomial(const double *coefficients, size_t n, double x)
{
	double sum = 0;

	while (n-- > 0)
		sum = sum * x + coefficients[n];
	return sum;
}

#define POLYNOMIAL(x, ...) \
	polynomial((const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / 8, x)

/* Weights of the n / 2 largest order statistics, the largest first. */
static void find_weights(double *weights, size_t n)
{
	const size_t half = n / 2, exact = n > 5 ? 2 : 1;
	const double root = 1 / sqrt((double)n);
	double squares = 0, rest, left = 1;
	size_t i;

	for (i = 0; i < half; i++) {
		weights[i] = -gsl_cdf_ugaussian_Pinv((i + 1 - 0.375) / (n + 0.25));
		squares += 2 * weights[i] * weights[i];
	}
	if (n == 3) {
		weights[0] = sqrt(0.5);
		return;
	}
	rest = squares;
	for (i = 0; i < exact; i++) {
		const double more =
			i ? POLYNOMIAL(root, 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
			  : POLYNOMIAL(root, 0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056);

		rest -= 2 * weights[i] * weights[i];
		weights[i] = weights[i] / sqrt(squares) + more;
		left -= 2 * weights[i] * weights[i];
	}
	for (; i < half; i++)
		weights[i] /= sqrt(rest / left);
}

/* The chance of a W so far below 1. */
static double chance_of(double w, size_t n)
{
	const double size = (double)n, logarithm = log(size);
	double y = log1p(-w);
	double mean, deviation;

	if (n == 3)
		return fmax(0, 6 / M_PI * (asin(sqrt(w)) - asin(sqrt(0.75))));
	if (n <= 11) {
		const double gamma = -2.273 + 0.459 * size;

		if (y >= gamma)
			return 0;
		y = -log(gamma - y);
		mean = POLYNOMIAL(size, 0.544, -0.39978, 0.025054, -6.714e-4);
		deviation = exp(POLYNOMIAL(size, 1.3822, -0.77857, 0.062767, -0.0020322));
	} else {
		mean = POLYNOMIAL(logarithm, -1.5861, -0.31082, -0.083751, 0.0038915);
		deviation = exp(POLYNOMIAL(logarithm, -0.4803, -0.082676, 0.0030302));
	}
	return gsl_cdf_ugaussian_Q((y - mean) / deviation);
}

double run_shape_normal(const double *values, size_t n)
{
	double *sorted, *weights, mean, product = 0, squares;
	size_t i;

	if (n < NORMAL_LEAST || n > NORMAL_MOST)
		return NAN;
	sorted = mem_copy(values, n, sizeof(*values));
	weights = mem_alloc(n * sizeof(*weights));
	numbers_sort(sorted, n);
	mean = stats_mean(sorted, n);
	find_weights(weights, n);
	for (i = 0; i < n / 2; i++)
		product += weights[i] * (sorted[n - 1 - i] - sorted[i]);
	squares = gsl_stats_tss_m(sorted, 1, n, mean);
	free(sorted);
	free(weights);
	/* Differences that rounding makes are none. */
	if (!(sqrt(squares) > 1e-9 * (1 + fabs(mean))))
		return NAN;
	return chance_of(fmin(1, product * product / squares), n);
}

double run_shape_f(const struct diff_runs *groups, size_t n, double ret_freedom[2])
{
	double total = 0, mean = 0, between = 0, within = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		total += (double)groups[i].n;
		mean += (double)groups[i].n * stats_mean(groups[i].costs, groups[i].n);
	}
	mean /= total;
	for (i = 0; i < n; i++) {
		const double own = stats_mean(groups[i].costs, groups[i].n);

		between += (double)groups[i].n * (own - mean) * (own - mean);
		within +=
			(double)groups[i].n * stats_mean_square(groups[i].costs, groups[i].n, own);
	}
	ret_freedom[0] = (double)n - 1;
	ret_freedom[1] = total - (double)n;
	if (n < 2 || !(ret_freedom[1] > 0) || !(between + within > 0))
		return NAN;
	return (between / ret_freedom[0]) / (within / ret_freedom[1]);
}

double run_shape_permuted(const struct diff_runs *groups, size_t n, double f)
{
	struct arena *arena = arena_create();
	struct diff_runs *dealt = arena_array(arena, struct diff_runs, n);
	struct random_state random = {.state = 1};
	double freedom[2], *all;
	size_t total = 0, as_large = 0, i, round;

	for (i = 0; i < n; i++)
		total += groups[i].n;
	all = arena_array(arena, double, total);
	for (total = i = 0; i < n; i++) {
		dealt[i] = (struct diff_runs){all + total, groups[i].n};
		memcpy(all + total, groups[i].costs, groups[i].n * sizeof(*all));
		total += groups[i].n;
	}
	for (round = 0; round < PERMUTATIONS; round++) {
		random_shuffle(&random, all, total);
		as_large += !(run_shape_f(dealt, n, freedom) < f * (1 - 1e-9));
	}
	arena_destroy(arena);
	return (1 + (double)as_large) / (1 + PERMUTATIONS);
}

static void find_distances(const double *values, size_t n, double *ret)
{
	const double middle = stats_median(values, n);
	size_t i;

	for (i = 0; i < n; i++)
		ret[i] = fabs(values[i] - middle);
}

double run_shape_equal(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double *z = mem_alloc((n_a + n_b + 1) * sizeof(*z));
	const struct diff_runs groups[2] = {{z, n_a}, {z + n_a, n_b}};
	double freedom[2], f = NAN;

	if (n_a >= NORMAL_LEAST && n_b >= NORMAL_LEAST) {
		find_distances(a, n_a, z);
		find_distances(b, n_b, z + n_a);
		f = run_shape_f(groups, 2, freedom);
	}
	free(z);
	return isfinite(f) ? gsl_cdf_fdist_Q(f, freedom[0], freedom[1]) : NAN;
}

static double mean_variance(const struct run_means *side)
{
	const double n = (double)side->n;

	return gsl_stats_tss_m(side->means, 1, side->n, stats_mean(side->means, side->n)) /
	       ((n - 1) * n);
}

/* Welch and Satterthwaite; never a smaller error. */
static void use_welch(const struct run_means sides[2], struct run_spread *spread)
{
	const double a = mean_variance(&sides[0]), b = mean_variance(&sides[1]);
	const double freedom = pow(a + b, 2) / (a * a / ((double)sides[0].n - 1) +
						b * b / ((double)sides[1].n - 1));

	spread->error = fmax(spread->error, sqrt(a + b));
	spread->freedom = fmin(spread->freedom, freedom);
}

void run_shape_find(const struct run_means sides[2], struct run_spread *spread)
{
	size_t i;

	spread->equal = NAN;
	for (i = 0; i < 2; i++)
		spread->normal[i] =
			sides[i].means ? run_shape_normal(sides[i].means, sides[i].n) : NAN;
	if (!sides[0].means || !sides[1].means)
		return;
	spread->equal = run_shape_equal(sides[0].means, sides[0].n, sides[1].means, sides[1].n);
	if (spread->equal < RUN_SPREAD_DOUBT)
		use_welch(sides, spread);
}

static double count_orders(size_t n, size_t of)
{
	double orders = 1;
	size_t i;

	for (i = 1; i <= of; i++)
		orders *= (double)(n - of + i) / (double)i;
	return orders;
}

double run_shape_chance(const struct run_means sides[2], const struct run_spread *spread,
			double away)
{
	const size_t n_a = sides[0].n, n_b = sides[1].n;
	struct diff_runs groups[2] = {{sides[0].means, n_a}};
	double freedom[2], chance, *moved;
	size_t i;

	if (!(fmin(spread->normal[0], spread->normal[1]) < RUN_SPREAD_DOUBT) || !sides[0].means ||
	    !sides[1].means || count_orders(n_a + n_b, n_a) < ORDERS_LEAST)
		return 0;
	/* Each run from its own side's formula, and the sides apart by the difference. */
	moved = mem_copy(sides[1].means, n_b, sizeof(*moved));
	for (i = 0; i < n_b; i++)
		moved[i] += away;
	groups[1] = (struct diff_runs){moved, n_b};
	chance = run_shape_permuted(groups, 2, run_shape_f(groups, 2, freedom));
	free(moved);
	return chance;
}

double run_shape_half(const struct run_means sides[2], const struct run_spread *spread, double away)
{
	if (!isfinite(away))
		return 1;
	return fmax(run_effect_chance(spread, away / 2, 0, INFINITY),
		    run_shape_chance(sides, spread, away / 2));
}
