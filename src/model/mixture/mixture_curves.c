/*
 * Mixtures of curves when no feature says which row follows which: tries starting values above and
 * below one robust curve; mixture_refine.c runs EM. Many rows are first tried by a part of them.
 */
#include "mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "model/data/row_order.h"
#include "model/regression/lsq.h"
#include "model/regression/score.h"
#include "model/density/unimodal.h"

enum { CURVES_MAX = 3, ROWS_EACH = 5, BINS = 10, ROWS_TRIED = 500 };

/* A curve of fewer rows only describes what went wrong in some. */
#define SHARE_MIN 0.05
/* Significance at which a random choice among the curves is rejected; calls of none disturb it. */
#define IMPROBABLE 1e-9

/* In parts of the typical cost: floor of relative noise where a curve vanishes; rounding. */
#define FLOOR    1e-3
#define ROUNDING 1e-6

/* One curve through all rows, with the noise that is likeliest. */
struct trend {
	const double *y;
	struct lsq_design design;
	struct lsq *lsq;
	struct robust *noise;
	size_t n;
	double typical; /* mean of |y| */
	double *ones;
	double *residual; /* over the spread */
	double *rising;   /* `residual`, sorted */
	double *root;     /* of weights */
};

static void trend_init(struct trend *trend, const double *y, const double *const *columns,
		       unsigned p, size_t n)
{
	double *memory = mem_alloc(4 * n * sizeof(*memory));
	unsigned j;
	size_t i;

	*trend = (struct trend){
		.y = y,
		.design = {.n = n, .p = p, .y = y},
		.lsq = lsq_create(),
		.noise = robust_create(n),
		.n = n,
		.ones = memory,
		.residual = memory + n,
		.rising = memory + 2 * n,
		.root = memory + 3 * n,
	};
	for (j = 0; j < p; j++)
		trend->design.columns[j] = columns[j] ? columns[j] : trend->ones;
	for (i = 0; i < n; i++) {
		trend->ones[i] = 1;
		trend->typical += fabs(y[i]) / n;
	}
}

static void trend_deinit(struct trend *trend)
{
	free(trend->ones);
	robust_destroy(trend->noise);
	lsq_destroy(trend->lsq);
}

/* The curve first with even noise, then with that which goes with it. False: it has none. */
static bool fit_trend(struct trend *trend)
{
	struct robust *noise = trend->noise;
	struct lsq_solution solution;
	double spread = 0;
	size_t i;

	if (!robust_fit(noise, trend->lsq, &trend->design, NULL, &solution))
		return false;
	memcpy(trend->residual, noise->fitted, trend->n * sizeof(*noise->fitted));
	if (!robust_fit_along(noise, trend->lsq, &trend->design, trend->residual, &solution))
		return false;
	for (i = 0; i < trend->n; i++) {
		spread += noise->spread[i] / trend->n;
		trend->residual[i] = noise->residual[i] / noise->spread[i];
	}
	return noise->scale * spread > ROUNDING * trend->typical;
}

/* Parameters: the curve's, and the noise's scale, tails and skewness. */
double mixture_single(const struct robust *noise, size_t n, unsigned p, double *ret_rising)
{
	double logs = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		ret_rising[i] = noise->residual[i] / noise->spread[i];
		logs += log(noise->spread[i]);
	}
	row_order_sort_numbers(ret_rising, n);
	return score_bic(-2 * (unimodal_log_likelihood(ret_rising, n) - logs), p + 3, n);
}

/* Fit a curve to the rows with residuals in [@low, @high). False: too few rows. */
static bool begin_one(struct trend *trend, double low, double high, struct mixture_component *ret)
{
	struct lsq_solution solution;
	double weight = 0, square = 0;
	size_t i;

	for (i = 0; i < trend->n; i++) {
		bool inside = trend->residual[i] >= low && trend->residual[i] < high;

		trend->root[i] = inside ? 1 / trend->noise->spread[i] : 0;
		weight += inside;
	}
	if (weight < trend->design.p + ROWS_EACH ||
	    !lsq_reduce(trend->lsq, &trend->design, trend->root) ||
	    !lsq_solve_all(trend->lsq, &solution))
		return false;
	memcpy(ret->coefficients, solution.coefficients, ret->p * sizeof(*ret->coefficients));
	for (i = 0; i < trend->n; i++) {
		const double residual = trend->y[i] - mixture_mean(ret, i);

		if (trend->root[i] > 0)
			square += residual * residual / weight;
	}
	ret->probability = weight / trend->n;
	ret->deviation = fmax(sqrt(square), ROUNDING * trend->typical);
	return true;
}

/* Try a mixture that starts from the rows between @cuts, rising residuals; keep the best. */
static void mixture_try_cuts(struct trend *trend, const double *const *columns, const double *cuts,
			     unsigned n_cuts, struct mixture *best)
{
	struct mixture mixture = {.n = n_cuts + 1};
	double least = fmax(trend->design.p + ROWS_EACH, SHARE_MIN * trend->n);
	unsigned k;

	for (k = 0; k <= n_cuts; k++) {
		struct mixture_component *one = &mixture.components[k];

		one->p = trend->design.p;
		memcpy(one->columns, columns, one->p * sizeof(*columns));
		if (!begin_one(trend, k ? cuts[k - 1] : -INFINITY, k < n_cuts ? cuts[k] : INFINITY,
			       one))
			return;
	}
	if (!mixture_refine(trend->y, trend->n, ROUNDING * trend->typical, &mixture, NULL))
		return;
	for (k = 0; k < mixture.n; k++)
		if (mixture.components[k].probability * trend->n < least)
			return;
	if (mixture.bic < best->bic)
		*best = mixture;
}

/* Start from the clusters of the residuals, if any, from halves and from thirds. */
static void attempt_all(struct trend *trend, const double *const *columns, struct mixture *best)
{
	const double middle = trend->rising[trend->n / 2];
	const double thirds[] = {trend->rising[trend->n / 3], trend->rising[2 * trend->n / 3]};
	struct clusters clusters;

	density_clusters_find(trend->residual, trend->n, &clusters);
	if (clusters.n > 1 && clusters.n <= CURVES_MAX)
		mixture_try_cuts(trend, columns, clusters.borders, clusters.n - 1, best);
	mixture_try_cuts(trend, columns, &middle, 1, best);
	mixture_try_cuts(trend, columns, thirds, 2, best);
}

static double curves_part_of(const struct trend *trend, const struct mixture *mixture, unsigned k,
			     size_t i)
{
	double logs[CURVES_MAX];
	double sum = 0;
	unsigned c;

	for (c = 0; c < mixture->n; c++) {
		const struct mixture_component *one = &mixture->components[c];
		double mean = mixture_mean(one, i), deviation = one->deviation, z;

		if (one->relative)
			deviation *= fmax(fabs(mean), FLOOR * trend->typical);
		z = (trend->y[i] - mean) / deviation;
		logs[c] = log(one->probability / deviation) - 0.5 * z * z;
	}
	for (c = 0; c < mixture->n; c++)
		sum += exp(fmin(logs[c] - logs[k], 700));
	return 1 / sum;
}

/*
 * Does component @k have its share of the rows all along @column? Two straight curves may fit a
 * bent one better, but not with even shares. (Chi-squared; soft assignment only lowers it.)
 */
static bool is_even(const struct trend *trend, const struct mixture *mixture, unsigned k,
		    const double *column)
{
	double share = mixture->components[k].probability;
	size_t *order = mem_alloc(trend->n * sizeof(*order));
	double square = 0;
	unsigned bin;

	gsl_sort_index(order, column, 1, trend->n);
	for (bin = 0; bin < BINS; bin++) {
		size_t begin = bin * trend->n / BINS, end = (bin + 1) * trend->n / BINS;
		double excess = 0;
		size_t i;

		for (i = begin; i < end; i++)
			excess += curves_part_of(trend, mixture, k, order[i]) - share;
		square += excess * excess / ((end - begin) * share * (1 - share));
	}
	free(order);
	return gsl_cdf_chisq_Q(square, BINS - 1) > IMPROBABLE;
}

static bool is_chance(const struct trend *trend, const struct mixture *mixture)
{
	unsigned k, j;

	for (k = 0; k < mixture->n; k++)
		for (j = 0; j < trend->design.p; j++)
			if (trend->design.columns[j] != trend->ones &&
			    !is_even(trend, mixture, k, trend->design.columns[j]))
				return false;
	return true;
}

/* Find them on all rows. */
static bool find_curves(const double *y, const double *const *columns, unsigned p, size_t n,
			struct mixture *ret)
{
	struct mixture best = {.bic = INFINITY};
	struct trend trend;
	double single;
	bool found;

	trend_init(&trend, y, columns, p, n);
	found = fit_trend(&trend);
	if (found) {
		single = mixture_single(trend.noise, n, p, trend.rising);
		attempt_all(&trend, columns, &best);
		found = best.bic + SCORE_CLEARLY < single && is_chance(&trend, &best);
	}
	trend_deinit(&trend);
	if (found)
		*ret = best;
	return found;
}

/* Copy ROWS_TRIED of the rows, at even steps, to @memory. */
static void curves_thin(const double *from, size_t n, double *memory)
{
	size_t i;

	for (i = 0; i < ROWS_TRIED; i++)
		memory[i] = from[(size_t)((i + 0.5) * n / ROWS_TRIED)];
}

static bool find_in_some(const double *y, const double *const *columns, unsigned p, size_t n,
			 struct mixture *ret)
{
	double *memory = mem_alloc((MIXTURE_COLUMNS + 1) * ROWS_TRIED * sizeof(*memory));
	const double *some[MIXTURE_COLUMNS] = {NULL};
	unsigned k, j;
	bool found;

	curves_thin(y, n, memory);
	for (j = 0; j < p; j++) {
		if (!columns[j])
			continue;
		some[j] = memory + (j + 1) * ROWS_TRIED;
		curves_thin(columns[j], n, memory + (j + 1) * ROWS_TRIED);
	}
	found = find_curves(memory, some, p, ROWS_TRIED, ret);
	for (k = 0; found && k < ret->n; k++)
		memcpy(ret->components[k].columns, columns, p * sizeof(*columns));
	free(memory);
	return found;
}

bool mixture_regressions(const double *y, const double *const *columns, unsigned p, size_t n,
			 struct mixture *ret)
{
	struct mixture mixture;
	double typical = 0;
	size_t i;

	if (p == 0 || p > MIXTURE_COLUMNS || n < 2 * (p + ROWS_EACH))
		return false;
	if (n <= ROWS_TRIED)
		return find_curves(y, columns, p, n, ret);
	for (i = 0; i < n; i++)
		typical += fabs(y[i]) / n;
	if (!find_in_some(y, columns, p, n, &mixture) ||
	    !mixture_refine(y, n, ROUNDING * typical, &mixture, NULL))
		return false;
	*ret = mixture;
	return true;
}
