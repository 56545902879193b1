/*
 * Evaluating the models of one or two predictors: all subsets of their terms on one reduced
 * problem. Which predictors are worth it is select.c's matter.
 */
#include "model/candidate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"

/* Penalties beyond that of a term, in units of the score: a factor e^(p/2) of likelihood each. */
#define PENALTY_NLOGN   3.0
#define PENALTY_SQUARE  8.0
#define PENALTY_PRODUCT 2.0
#define PENALTY_FALLS   8.0
/* The part of the residual variance that a faster growth has to explain, besides. */
#define PART_NLOGN  0.01
#define PART_SQUARE 0.05
/* What is linear but for some of its cost per element is linear, unless a line would be far off. */
#define PART_NEARLY 3.0
/*
 * Caches make elements dearer as sizes grow, in measurements of list sorting by 1.7 times over two
 * decades. A square whose cost per element rises less than twice as fast as a logarithm over the
 * last decade must explain this part of the residual variance, in logarithms.
 */
#define PART_DRIFT 0.7
#define DRIFT      2.0
/* Scores closer than this do not tell linear from n log n. */
#define BLIND 6.0
/* Mean squares below this are rounding. */
#define SQUARE_MIN 1e-18
/*
 * How far beyond the 10 % and 90 % quantiles, in their distance from the median, values are
 * clipped.
 */
#define CLIP 5.0

struct chooser *chooser_create(const struct data *data)
{
	struct chooser *chooser = mem_alloc(sizeof(*chooser));
	size_t n = data->n_choice;
	unsigned i;

	chooser->data = data;
	chooser->lsq = lsq_create(n);
	chooser->robust = robust_create(n);
	chooser->rows = mem_alloc(n * sizeof(*chooser->rows));
	chooser->y = mem_alloc(n * sizeof(double));
	chooser->key = mem_alloc(n * sizeof(double));
	for (i = 0; i < TERM_COUNT; i++)
		chooser->columns[i] = mem_alloc(n * sizeof(double));
	return chooser;
}

void chooser_destroy(struct chooser *chooser)
{
	unsigned i;

	if (!chooser)
		return;
	lsq_destroy(chooser->lsq);
	robust_destroy(chooser->robust);
	free(chooser->rows);
	free(chooser->y);
	free(chooser->key);
	for (i = 0; i < TERM_COUNT; i++)
		free(chooser->columns[i]);
	free(chooser);
}

double chooser_rows(const struct chooser *chooser)
{
	return fmin(chooser->data->n_choice, SCORE_ROWS);
}

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a;
	double right = *(const double *)b;

	return (left > right) - (left < right);
}

void clip_values(const double *values, size_t n, double *ret)
{
	double low, middle, high;
	size_t i;

	if (!n)
		return;
	memcpy(ret, values, n * sizeof(*ret));
	qsort(ret, n, sizeof(*ret), compare_doubles);
	middle = gsl_stats_median_from_sorted_data(ret, 1, n);
	low = middle - CLIP * (middle - gsl_stats_quantile_from_sorted_data(ret, 1, n, 0.1));
	high = middle + CLIP * (gsl_stats_quantile_from_sorted_data(ret, 1, n, 0.9) - middle);
	for (i = 0; i < n; i++)
		ret[i] = low < high ? fmin(fmax(values[i], low), high) : values[i];
}

static void init_basis(const struct data *data, struct candidate *candidate, unsigned n)
{
	unsigned i;

	candidate->basis.n_features = n;
	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[candidate->predictors[i]];

		candidate->basis.features[i] = (struct basis_feature){
			.min = predictor->min,
			.max = predictor->max,
			.whole = predictor->column->type == FEATURE_INT,
			.linear_only = predictor->column->type == FEATURE_BOOL ||
				       predictor->distinct < DISTINCT_MAX - 1,
		};
	}
	basis_init(&candidate->basis);
}

/* Take the rows that have all features; fill in the columns of all terms. */
static void read_rows(struct chooser *chooser, const struct candidate *candidate)
{
	const struct data *data = chooser->data;
	unsigned n = candidate->basis.n_features;
	enum basis_term term;
	size_t row;
	unsigned i;

	chooser->n = 0;
	for (row = 0; row < data->n_choice; row++) {
		double x[2] = {0, 0};
		bool present = true;

		for (i = 0; i < n; i++) {
			present &= data->predictors[candidate->predictors[i]].present[row];
			x[i] = data->predictors[candidate->predictors[i]].x[row];
		}
		if (!present)
			continue;
		for (term = 0; term < TERM_COUNT; term++)
			if (candidate->basis.terms & 1u << term)
				chooser->columns[term][chooser->n] =
					basis_value(&candidate->basis, term, x);
		chooser->y[chooser->n] = data->y[row];
		chooser->key[chooser->n] = x[0];
		chooser->rows[chooser->n++] = row;
	}
}

/* A design of the terms in @mask, in their order; @places: which term a column is. */
static struct lsq_design make_design(const struct chooser *chooser, unsigned mask,
				     enum basis_term *places)
{
	struct lsq_design design = {.n = chooser->n, .y = chooser->y};
	enum basis_term term;

	for (term = 0; term < TERM_COUNT; term++) {
		if (!(mask & 1u << term))
			continue;
		places[design.p] = term;
		design.columns[design.p++] = chooser->columns[term];
	}
	return design;
}

static bool null_deviance(struct chooser *chooser, double *ret)
{
	enum basis_term places[TERM_COUNT];
	struct lsq_design design = make_design(chooser, 1u << TERM_CONSTANT, places);
	struct lsq_solution solution;

	if (!robust_fit(chooser->robust, chooser->lsq, &design, NULL, &solution))
		return false;
	*ret = chooser->robust->deviance;
	return true;
}

/* Two features have no natural order; a plain fit of the clipped metric gives one. */
static bool make_key(struct chooser *chooser, const struct lsq_design *design)
{
	struct lsq_design clipped = *design;
	struct lsq_solution solution;
	size_t i;

	clip_values(design->y, design->n, chooser->key);
	clipped.y = chooser->key;
	for (i = 0; i < design->n; i++)
		chooser->robust->weights[i] = 1;
	if (!lsq_reduce(chooser->lsq, &clipped, chooser->robust->weights) ||
	    !lsq_solve_all(chooser->lsq, &solution))
		return false;
	robust_judge(chooser->robust, design, &solution);
	memcpy(chooser->key, chooser->robust->fitted, design->n * sizeof(double));
	return true;
}

static double penalty(const struct basis *basis, unsigned mask, const double *coefficients,
		      double rows)
{
	double sum = (__builtin_popcount(mask) - 1) * log(rows);

	switch (basis_growth(mask)) {
	case GROWTH_QUADRATIC:
		sum += PENALTY_SQUARE + PART_SQUARE * rows;
		if (basis_drifts(basis, mask, coefficients, DRIFT))
			sum += PART_DRIFT * rows;
		break;
	case GROWTH_NLOGN:
		sum += PENALTY_NLOGN + PART_NLOGN * rows;
		if (basis_is_nearly_linear(basis, mask, coefficients))
			sum += PART_NEARLY * rows;
		break;
	default:
		break;
	}
	if (mask & 1u << TERM_PRODUCT)
		sum += PENALTY_PRODUCT;
	return sum + (basis_falls(mask, coefficients) ? PENALTY_FALLS : 0);
}

static unsigned pack(const enum basis_term *places, unsigned p, unsigned mask)
{
	unsigned packed = 0;
	unsigned i;

	for (i = 0; i < p; i++)
		if (mask & 1u << places[i])
			packed |= 1u << i;
	return packed;
}

struct best {
	double score;
	double fit[GROWTH_COUNT]; /* the best of each growth, without the penalty for growth */
};

/* Consider one subset of terms on the reduced problem. */
static void consider(struct chooser *chooser, struct candidate *candidate, unsigned mask,
		     unsigned packed, const enum basis_term *places, struct best *best)
{
	double part = (double)chooser->n / chooser->data->n_choice;
	double rows = chooser_rows(chooser);
	double coefficients[TERM_COUNT] = {0};
	struct lsq_solution solution;
	double fit, score;
	unsigned i;

	if (!lsq_solve(chooser->lsq, packed, &solution))
		return;
	for (i = 0; i < LSQ_COLUMNS; i++)
		if (packed & 1u << i)
			coefficients[places[i]] = solution.coefficients[i];
	if (!basis_believable(&candidate->basis, mask, coefficients, chooser->data->y_negative))
		return;
	fit = rows * part * log(fmax(solution.sse / chooser->n, SQUARE_MIN));
	score = fit + penalty(&candidate->basis, mask, coefficients, rows);
	fit += __builtin_popcount(mask) * log(rows);
	best->fit[basis_growth(mask)] = fmin(best->fit[basis_growth(mask)], fit);
	if (score >= best->score)
		return;
	best->score = score;
	candidate->mask = mask;
	memcpy(candidate->coefficients, coefficients, sizeof(coefficients));
}

static bool choose_terms(struct chooser *chooser, struct candidate *candidate,
			 const struct lsq_design *design, const enum basis_term *places)
{
	struct best best = {.score = INFINITY};
	unsigned mask = 0;
	unsigned i;

	for (i = 0; i < GROWTH_COUNT; i++)
		best.fit[i] = INFINITY;
	while ((mask = basis_next(&candidate->basis, mask)))
		consider(chooser, candidate, mask, pack(places, design->p, mask), places, &best);
	candidate->blind = candidate->basis.n_features == 1 &&
			   best.fit[GROWTH_NLOGN] - best.fit[GROWTH_LINEAR] < BLIND &&
			   best.fit[GROWTH_LINEAR] - best.fit[GROWTH_NLOGN] < BLIND;
	return isfinite(best.score);
}

bool candidate_evaluate(struct chooser *chooser, const size_t *predictors, unsigned n,
			struct candidate *ret)
{
	struct candidate candidate = {.mask = 0};
	enum basis_term places[TERM_COUNT];
	struct lsq_solution solution = {.sse = 0};
	struct lsq_design design;
	double null, rows;
	unsigned i;

	memcpy(candidate.predictors, predictors, n * sizeof(*predictors));
	init_basis(chooser->data, &candidate, n);
	read_rows(chooser, &candidate);
	design = make_design(chooser, candidate.basis.terms, places);
	if (chooser->n < ROWS_MIN || !null_deviance(chooser, &null))
		return false;
	if (n > 1 && !make_key(chooser, &design))
		return false;
	if (!robust_fit(chooser->robust, chooser->lsq, &design, chooser->key, &solution) ||
	    !choose_terms(chooser, &candidate, &design, places))
		return false;
	for (i = 0; i < design.p; i++)
		solution.coefficients[i] = candidate.coefficients[places[i]];
	robust_judge(chooser->robust, &design, &solution);
	rows = chooser_rows(chooser);
	candidate.score = (chooser->robust->deviance - null) * rows / chooser->data->n_choice +
			  penalty(&candidate.basis, candidate.mask, candidate.coefficients, rows);
	*ret = candidate;
	return true;
}
