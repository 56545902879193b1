/* The variance between runs, and what it does to the error of a difference. */
#include "run_effect.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "base/mem.h"
#include "stats.h"

/* The power of run_effect_enough(), and the least number it gives: RUN_EFFECT_FREEDOM's. */
#define POWER 0.99
enum { ENOUGH_LEAST = 3, ENOUGH_MOST = 1000 };

/* Residuals beyond so many robust deviations are some other cost. */
#define FAR 12.0

struct run_rows run_effect_rows(struct arena *arena, size_t most)
{
	return (struct run_rows){.residuals = arena_array(arena, double, most + 1),
				 .bases = arena_array(arena, double, most + 1),
				 .runs = arena_array(arena, int64_t, most + 1)};
}

void run_effect_add(struct run_rows *rows, double residual, double base, int64_t run)
{
	rows->residuals[rows->n] = residual;
	rows->bases[rows->n] = base;
	rows->runs[rows->n++] = run;
}

static double far_limit(const struct run_rows *rows, double *ret_middle)
{
	*ret_middle = stats_median(rows->residuals, rows->n);
	return FAR * 1.4826 * stats_median_distance(rows->residuals, rows->n, *ret_middle);
}

/* A run of @n calls with the residuals @values, which change. What costs nothing says nothing. */
static void add_run(struct run_means *means, double *values, const double *bases, size_t n)
{
	const double base = stats_mean(bases, n);
	const double mean = stats_mean(values, n) / base;
	size_t i;

	if (n < 2 || !(base > 0))
		return;
	for (i = 0; i < n; i++)
		values[i] -= mean * bases[i];
	means->means[means->n] = mean;
	means->errors[means->n++] = stats_error(values, n) / base;
}

struct run_call {
	int64_t run;
	size_t at;
};

static int by_run(const void *a, const void *b)
{
	const struct run_call *x = a;
	const struct run_call *y = b;

	return x->run != y->run ? (x->run > y->run) - (x->run < y->run)
				: (x->at > y->at) - (x->at < y->at);
}

bool run_effect_of_builds(const struct samples *samples)
{
	size_t i;

	for (i = 0; i < samples->n_rows; i++)
		if (samples->keys[i].build != samples->keys[0].build)
			return true;
	return false;
}

void run_effect_means(const struct run_rows *rows, struct arena *arena, struct run_means *ret)
{
	struct run_call *calls = mem_alloc((rows->n + 1) * sizeof(*calls));
	double *values = arena_array(arena, double, rows->n + 1);
	double *bases = arena_array(arena, double, rows->n + 1);
	double middle, limit = far_limit(rows, &middle);
	size_t n = 0;
	size_t i;

	*ret = (struct run_means){.means = arena_array(arena, double, rows->n + 1),
				  .errors = arena_array(arena, double, rows->n + 1)};
	for (i = 0; i < rows->n; i++)
		calls[i] = (struct run_call){rows->runs[i], i};
	qsort(calls, rows->n, sizeof(*calls), by_run);
	for (i = 0; i < rows->n; i++) {
		values[n] = rows->residuals[calls[i].at];
		bases[n] = rows->bases[calls[i].at];
		n += !(limit > 0 && fabs(values[n] - middle) > limit);
		if (i + 1 < rows->n && calls[i + 1].run == calls[i].run)
			continue;
		add_run(ret, values, bases, n);
		n = 0;
	}
	ret->n += !ret->n;
	free(calls);
}

/* Sums over the runs of one side, which weigh 1 / (@variance + error²). */
struct run_sums {
	double weights, squares; /* of the weights */
	double away;             /* weighted squared distances from the mean */
};

static void sum_runs(const struct run_means *side, double variance, struct run_sums *ret)
{
	double mean = 0;
	size_t i;

	*ret = (struct run_sums){.weights = 0};
	for (i = 0; i < side->n; i++) {
		const double weight = 1 / (variance + side->errors[i] * side->errors[i]);

		ret->weights += weight;
		ret->squares += weight * weight;
		mean += weight * side->means[i];
	}
	mean /= ret->weights;
	for (i = 0; i < side->n; i++)
		ret->away += pow(side->means[i] - mean, 2) /
			     (variance + side->errors[i] * side->errors[i]);
}

static bool has_means(const struct run_means *side)
{
	return side->means && side->n > 1;
}

/* Exact costs have no errors: a floor keeps weights finite. */
#define ERROR_LEAST 1e-9

/* Of the sides with means, which have @freedom degrees of freedom; @ret_more: Hartung's factor. */
static double find_variance(const struct run_means *sides, size_t n, double freedom,
			    double *ret_more)
{
	double away = 0, scale = 0, variance;
	struct run_sums sums;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!has_means(&sides[i]))
			continue;
		sum_runs(&sides[i], ERROR_LEAST * ERROR_LEAST, &sums);
		away += sums.away;
		scale += sums.weights - sums.squares / sums.weights;
	}
	variance = fmax(0, (away - freedom) / scale);
	*ret_more = 0;
	for (i = 0; i < n; i++) {
		if (!has_means(&sides[i]))
			continue;
		sum_runs(&sides[i], fmax(variance, ERROR_LEAST * ERROR_LEAST), &sums);
		*ret_more += sums.away / freedom;
	}
	return variance;
}

double run_effect_deviation(const struct run_means *side)
{
	double ignored;

	return has_means(side) ? sqrt(find_variance(side, 1, (double)side->n - 1, &ignored)) : NAN;
}

/* Both sides' deviations, by their degrees of freedom. */
static double join_sides(const struct run_means sides[2], double *ret_more)
{
	double measured = 0, known = 0, squares = 0;
	size_t i;

	*ret_more = 1;
	for (i = 0; i < 2; i++) {
		const double freedom = (double)sides[i].n - 1;

		if (has_means(&sides[i]))
			measured += freedom;
		else
			known += freedom;
		if (!has_means(&sides[i]) && freedom > 0)
			squares += freedom * sides[i].deviation * sides[i].deviation;
	}
	if (measured > 0)
		squares += measured * find_variance(sides, 2, measured, ret_more);
	return measured + known > 0 ? sqrt(squares / (measured + known)) : 0;
}

void run_effect_find(const struct run_means sides[2], double assumed, struct run_spread *ret)
{
	const double both = 1 / (double)sides[0].n + 1 / (double)sides[1].n;
	double more;

	*ret = (struct run_spread){.runs = {sides[0].n, sides[1].n},
				   .of_builds = sides[0].of_builds || sides[1].of_builds,
				   .deviation = join_sides(sides, &more),
				   .freedom = (double)(sides[0].n - 1 + sides[1].n - 1)};
	ret->error = ret->deviation * sqrt(both * fmax(more, 1));
	if (ret->freedom >= RUN_EFFECT_FREEDOM || (ret->freedom > 0 && ret->deviation >= assumed))
		return;
	ret->deviation = assumed;
	ret->error = assumed * sqrt(both);
	ret->freedom = INFINITY;
	ret->is_assumed = true;
}

/* Welch and Satterthwaite, for the sum of two variances. */
static double join_freedom(double a, double a_freedom, double b, double b_freedom)
{
	const double sum = pow(a * a + b * b, 2);
	const double parts = pow(a, 4) / a_freedom + pow(b, 4) / b_freedom;

	return parts > 0 ? fmin(sum / parts, 1e9) : 1e9;
}

/* NAN: not known. */
static bool is_busier(double old, double new, double least)
{
	const double most = fmax(old, new); /* of what is known */

	return most > least && (!(old >= 0) || !(new >= 0) || most > 2 * fmin(old, new));
}

static void shift_side(struct run_spread *spread, double deviation)
{
	spread->freedom = join_freedom(spread->error, spread->freedom, deviation, INFINITY);
	spread->error = hypot(spread->error, deviation);
}

void run_effect_add_load(struct run_spread *spread, const struct machine_load *old,
			 const struct machine_load *new)
{
	const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);

	spread->load[0] = *old;
	spread->load[1] = *new;
	spread->is_unfair = (spread->is_assumed && fmax(old->threads, new->threads) > processors) ||
			    is_busier(old->threads, new->threads, processors) ||
			    is_busier(old->preempted, new->preempted, RUN_EFFECT_PREEMPTED) ||
			    is_busier(old->stolen, new->stolen, RUN_EFFECT_STOLEN);
	if (spread->is_unfair)
		shift_side(spread, RUN_EFFECT_BUSY);
	else if (!spread->by_turns && fmax(old->threads, new->threads) > processors)
		shift_side(spread, spread->minute = RUN_EFFECT_MINUTE);
}

/* What runs differ by is seen beside the error of their calls, so both are known by the runs. */
double run_effect_freedom(const struct run_spread *spread, double error, double freedom)
{
	return fmin(join_freedom(error, fmax(freedom, 1), spread->error, spread->freedom),
		    spread->freedom);
}

double run_effect_chance(const struct run_spread *spread, double away, double error, double freedom)
{
	return stats_chance(away, 0, hypot(error, spread->error),
			    run_effect_freedom(spread, error, freedom));
}

/* Of chi with so many degrees of freedom nothing lies farther from the root of these. */
#define CHI_FAR 6.0
enum { CHI_STEPS = 120, CHI_FREEDOM_MOST = 10000 };

/* What a comparison is to be made of. */
struct future {
	const struct run_spread *spread;
	double away, deviation; /* of the mean of a run's calls */
	double alpha;
};

/*
 * How likely is a test of @n runs a side, which wants a t of @limit, to miss the difference if runs
 * differ by @deviation? Normal approximation of the noncentral t.
 */
static double chance_to_miss(const struct future *future, double deviation, size_t n, double limit)
{
	const double freedom = 2 * (double)n - 2;
	const double error = hypot(deviation * sqrt(2 / (double)n), future->spread->minute);

	return gsl_cdf_ugaussian_P((limit * (1 - 1 / (4 * freedom)) - fabs(future->away) / error) /
				   sqrt(1 + limit * limit / (2 * freedom)));
}

/*
 * The mean over the deviations that may be behind the estimate: chi, with its degrees of freedom,
 * says how much smaller than these that may be.
 */
static double mean_to_miss(const struct future *future, size_t n)
{
	const double limit = gsl_cdf_tdist_Pinv(1 - future->alpha / 2, 2 * (double)n - 2);
	const double freedom = future->spread->freedom, root = sqrt(freedom);
	const double low = fmax(0, root - CHI_FAR), step = (root + CHI_FAR - low) / CHI_STEPS;
	double sum = 0, weights = 0;
	size_t i;

	if (!(freedom < CHI_FREEDOM_MOST))
		return chance_to_miss(future, future->deviation, n, limit);
	for (i = 0; i < CHI_STEPS; i++) {
		const double chi = low + ((double)i + 0.5) * step;
		const double weight = chi * gsl_ran_chisq_pdf(chi * chi, freedom);

		weights += weight;
		sum += weight * chance_to_miss(future, future->deviation * root / chi, n, limit);
	}
	return sum / weights;
}

size_t run_effect_enough(const struct run_spread *spread, double away, double error, double alpha)
{
	const double both = 1 / (double)spread->runs[0] + 1 / (double)spread->runs[1];
	const struct future future = {spread, away, hypot(spread->deviation, error / sqrt(both)),
				      alpha};
	size_t low = ENOUGH_LEAST - 1, high = ENOUGH_MOST;

	if (spread->is_unfair || !(mean_to_miss(&future, high) <= 1 - POWER))
		return 0;
	while (high - low > 1) {
		const size_t middle = (low + high) / 2;

		if (mean_to_miss(&future, middle) <= 1 - POWER)
			high = middle;
		else
			low = middle;
	}
	return high;
}
