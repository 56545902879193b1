/*
 * Evaluates all models of a few predictors on one reduced problem. feature_selection.c chooses the
 * predictors.
 */
#include "candidate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "growth_column.h"
#include "model/data/lanes.h"
#include "model/data/row_order.h"
#include "score.h"

/* Penalties, in score units, beyond those of terms and growth. */
#define PENALTY_PRODUCT 2.0
#define PENALTY_FALLS   8.0
/* A growth slower than a line with a negative constant: below 0 but for the smallest sizes. */
#define PENALTY_SUNK 8.0
/* Nearly linear models count as linear unless a line would be far off. */
#define PART_NEARLY 3.0
/*
 * Caches make elements more expensive as sizes grow, by 1.7 times over two decades when sorting
 * lists. A square whose cost per element rises less than twice as fast as a logarithm over the last
 * decade must explain this part of the log residual variance.
 */
#define PART_DRIFT 0.7
#define DRIFT      2.0
/* With fewer rows the guide has fewer growths. */
enum { GUIDE_ROWS = 40 };
/* Larger bases have products of all growths. */
enum { GUIDE_TERMS = 16 };
/* Smaller mean squares are rounding. */
#define SQUARE_MIN 1e-18

struct chooser *candidate_chooser_create(const struct dataset *data)
{
	struct chooser *chooser = mem_alloc(sizeof(*chooser));
	size_t n = data->n_choice;

	chooser->data = data;
	chooser->lsq = lsq_create();
	chooser->robust = robust_create(n);
	chooser->rows = mem_alloc(n * sizeof(*chooser->rows));
	chooser->y = mem_alloc(3 * n * sizeof(double));
	chooser->key = chooser->y + n;
	chooser->ones = chooser->key + n;
	chooser->null_deviance = NAN;
	chooser->useless = INFINITY;
	return chooser;
}

void candidate_chooser_destroy(struct chooser *chooser)
{
	unsigned i, growth;

	if (!chooser)
		return;
	lsq_destroy(chooser->lsq);
	robust_destroy(chooser->robust);
	free(chooser->rows);
	free(chooser->y);
	for (i = 0; i < BASIS_TERMS; i++)
		free(chooser->products[i]);
	for (i = 0; i < BASIS_FEATURES; i++) {
		free(chooser->x[i]);
		free(chooser->log_x[i]);
		for (growth = 0; growth < GROWTH_FIXED; growth++)
			free(chooser->factors[i][growth]);
	}
	free(chooser);
}

double candidate_chooser_rows(const struct chooser *chooser)
{
	return score_rows(chooser->data->n_choice);
}

void candidate_clip(const double *values, size_t n, double clip, double *ret)
{
	double *sorted, low, middle, high;
	size_t i;

	if (!n)
		return;
	sorted = mem_alloc(n * sizeof(*sorted));
	memcpy(sorted, values, n * sizeof(*sorted));
	row_order_sort_numbers(sorted, n);
	middle = gsl_stats_median_from_sorted_data(sorted, 1, n);
	low = middle - clip * (middle - gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.1));
	high = middle + clip * (gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.9) - middle);
	for (i = 0; i < n; i++)
		ret[i] = low < high ? fmin(fmax(values[i], low), high) : values[i];
	free(sorted);
}

static struct basis_feature candidate_describe(const struct dataset *data, size_t index)
{
	const struct predictor *one = &data->predictors[index];

	return basis_feature(one->column->type, one->min, one->max, one->distinct);
}

/* A column of the chooser, which has all rows. */
static double *candidate_column(const struct chooser *chooser, double **column)
{
	if (!*column)
		*column = mem_alloc((chooser->data->n_choice + 1) * sizeof(double));
	return *column;
}

/* The rows with all features. */
static void candidate_take_rows(struct chooser *chooser, const struct candidate *candidate)
{
	const struct dataset *data = chooser->data;
	unsigned i;
	size_t row;

	chooser->n = 0;
	for (row = 0; row < data->n_choice; row++) {
		for (i = 0; i < candidate->basis.n_features; i++)
			if (!data->predictors[candidate->predictors[i]].present[row])
				break;
		if (i < candidate->basis.n_features)
			continue;
		chooser->y[chooser->n] = data->y[row];
		chooser->rows[chooser->n++] = row;
	}
}

/* Feature @i in those rows, and all its growths. */
static void candidate_read_feature(struct chooser *chooser, const struct candidate *candidate,
				   unsigned i)
{
	const struct basis_feature *feature = &candidate->basis.features[i];
	const double *from = chooser->data->predictors[candidate->predictors[i]].x;
	double *x = candidate_column(chooser, &chooser->x[i]);
	double *log_x = candidate_column(chooser, &chooser->log_x[i]);
	unsigned growth;
	size_t k;

	for (k = 0; k < chooser->n; k++)
		x[k] = from[chooser->rows[k]];
	if (!i)
		memcpy(chooser->key, x, chooser->n * sizeof(*x));
	growth_column_scale(x, chooser->n, feature->scale, feature->log_scale, x, log_x);
	for (growth = 0; growth < GROWTH_FIXED; growth++)
		growth_column_fill(growth, x, log_x, chooser->n,
				   candidate_column(chooser, &chooser->factors[i][growth]));
}

/* Read the rows with all features, and the columns of all terms. */
static void candidate_read_rows(struct chooser *chooser, const struct candidate *candidate)
{
	const struct basis *basis = &candidate->basis;
	unsigned i;

	candidate_take_rows(chooser, candidate);
	for (i = 0; i < chooser->n; i++)
		chooser->ones[i] = 1;
	for (i = 0; i < basis->n_features; i++)
		candidate_read_feature(chooser, candidate, i);
	for (i = 0; i < basis->n_terms; i++) {
		const struct basis_term *term = &basis->terms[i];
		unsigned j;

		chooser->columns[i] = chooser->ones;
		for (j = 0; j < term->n; j++) {
			const double *factor =
				chooser->factors[term->factors[j].feature][term->factors[j].growth];

			if (j)
				lanes_multiply(chooser->columns[i], factor, chooser->n,
					       candidate_column(chooser, &chooser->products[i]));
			chooser->columns[i] = j ? chooser->products[i] : factor;
		}
	}
}

/* The design of the terms in @mask, in order; @places: the term of each column. */
static struct lsq_design make_design(const struct chooser *chooser, const struct basis *basis,
				     basis_mask mask, unsigned *places)
{
	struct lsq_design design = {.n = chooser->n, .y = chooser->y};
	unsigned term;

	for (term = 0; term < basis->n_terms; term++) {
		if (!(mask & basis_bit(term)))
			continue;
		places[design.p] = term;
		design.columns[design.p++] = chooser->columns[term];
	}
	return design;
}

/* That of all choice rows is found once. */
static bool null_deviance(struct chooser *chooser, double *ret)
{
	struct lsq_design design = {.n = chooser->n, .p = 1, .y = chooser->y};
	const bool is_whole = chooser->n == chooser->data->n_choice;
	struct lsq_solution solution;

	design.columns[0] = chooser->ones;
	if (is_whole && !isnan(chooser->null_deviance)) {
		*ret = chooser->null_deviance;
		return true;
	}
	if (!robust_fit(chooser->robust, chooser->lsq, &design, NULL, &solution))
		return false;
	*ret = chooser->robust->deviance;
	if (is_whole)
		chooser->null_deviance = *ret;
	return true;
}

bool candidate_has(const struct candidate *candidate, size_t predictor)
{
	unsigned i;

	for (i = 0; i < candidate->basis.n_features; i++)
		if (candidate->predictors[i] == predictor)
			return true;
	return false;
}

size_t candidate_list_once(size_t *list, size_t n, size_t predictor)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == predictor)
			return n;
	list[n] = predictor;
	return n + 1;
}

double candidate_presence(const struct dataset *data, const struct candidate *candidate)
{
	size_t least = data->n_rows;
	unsigned i;

	for (i = 0; i < candidate->basis.n_features; i++)
		if (data->predictors[candidate->predictors[i]].n_present < least)
			least = data->predictors[candidate->predictors[i]].n_present;
	return (double)least / (double)data->n_rows;
}

/* The order of rows by several features: a plain fit of the clipped metric. */
static bool make_key(struct chooser *chooser, const struct lsq_design *design)
{
	struct lsq_design clipped = *design;
	struct lsq_solution solution;
	size_t i;

	candidate_clip(design->y, design->n, CANDIDATE_CLIP, chooser->key);
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

static double growth_penalty(const struct basis *basis, basis_mask mask, const double *coefficients,
			     double rows)
{
	const struct growth_info *growth = growth_info(basis_growth(basis, mask));
	double drift;

	if (growth->penalty == 0)
		return 0;
	if (growth->power > 1)
		drift = basis_drifts(basis, mask, coefficients, DRIFT) ? PART_DRIFT : 0;
	else
		drift = basis_is_nearly_linear(basis, mask, coefficients) ? PART_NEARLY : 0;
	return growth->penalty + growth->penalty_row * rows + drift * rows;
}

/* Is a formula of slow growth negative at the smallest sizes? */
static bool is_sunk(const struct basis *basis, basis_mask mask, const double *coefficients)
{
	return basis_growth(basis, mask) < GROWTH_LINEAR && (mask & 1) && coefficients[0] < 0;
}

/* What no coefficients can make less. */
static double least_penalty(const struct basis *basis, basis_mask mask, double rows)
{
	return score_penalty(__builtin_popcountll(mask) - 1, rows) +
	       PENALTY_PRODUCT * basis_products(basis, mask);
}

static double penalty(const struct basis *basis, basis_mask mask, const double *coefficients,
		      double rows)
{
	return least_penalty(basis, mask, rows) + growth_penalty(basis, mask, coefficients, rows) +
	       (basis_falls(basis, mask, coefficients) ? PENALTY_FALLS : 0) +
	       (is_sunk(basis, mask, coefficients) ? PENALTY_SUNK : 0);
}

/* Take the terms of @mask if they score better. */
static void candidate_consider(struct chooser *chooser, struct candidate *candidate,
			       basis_mask mask)
{
	const struct basis *basis = &candidate->basis;
	const double part = (double)chooser->n / chooser->data->n_choice;
	const double rows = candidate_chooser_rows(chooser);
	struct lsq_solution solution;
	double fit, score;

	if (!lsq_solve(chooser->lsq, mask, &solution))
		return;
	fit = rows * part * log(fmax(solution.sse / chooser->n, SQUARE_MIN));
	if (fit + least_penalty(basis, mask, rows) >= candidate->score)
		return;
	score = fit + penalty(basis, mask, solution.coefficients, rows);
	if (score >= candidate->score ||
	    !basis_believable(basis, mask, solution.coefficients, chooser->data->y_negative))
		return;
	candidate->score = score;
	candidate->mask = mask;
	memcpy(candidate->coefficients, solution.coefficients, sizeof(candidate->coefficients));
}

/* Choose terms with the weights of the robust fit. */
static bool choose_terms(struct chooser *chooser, struct candidate *candidate)
{
	unsigned places[BASIS_TERMS];
	struct lsq_design design = make_design(chooser, &candidate->basis, ~(basis_mask)0, places);
	size_t n = basis_models(&candidate->basis, chooser->models);
	size_t i;

	candidate->score = INFINITY;
	if (!lsq_reduce(chooser->lsq, &design, chooser->robust->weights))
		return false;
	for (i = 0; i < n; i++)
		candidate_consider(chooser, candidate, chooser->models[i]);
	return isfinite(candidate->score);
}

static void candidate_judge(struct chooser *chooser, const struct candidate *candidate)
{
	unsigned places[BASIS_TERMS];
	struct lsq_design design = make_design(chooser, &candidate->basis, candidate->mask, places);
	struct lsq_solution solution = {.sse = 0};
	unsigned i;

	for (i = 0; i < design.p; i++)
		solution.coefficients[i] = candidate->coefficients[places[i]];
	robust_judge(chooser->robust, &design, &solution);
}

static bool is_of_lines(const struct basis_term *term)
{
	unsigned i;

	for (i = 0; i < term->n; i++)
		if (term->factors[i].growth != GROWTH_LINEAR)
			return false;
	return true;
}

/* The terms of the fit that weighs rows: enough to follow any model, too few to follow noise. */
static basis_mask guide(const struct chooser *chooser, const struct basis *basis)
{
	const bool few = basis->n_features > 1 || chooser->n < GUIDE_ROWS;
	basis_mask mask = 0;
	unsigned i;

	for (i = 0; i < basis->n_terms; i++) {
		const struct basis_term *term = &basis->terms[i];
		bool plain = term->n < 2 || is_of_lines(term);
		bool rare = few && term->n == 1 &&
			    (term->factors[0].growth < GROWTH_LINEAR ||
			     term->factors[0].growth >= GROWTH_CUBIC);

		if (i < basis->n_fixed || (plain && !rare))
			mask |= basis_bit(i);
	}
	return mask;
}

static bool candidate_weigh(struct chooser *chooser, const struct candidate *candidate,
			    basis_mask mask)
{
	unsigned places[BASIS_TERMS];
	struct lsq_design design = make_design(chooser, &candidate->basis, mask, places);
	struct lsq_solution solution;

	if (candidate->basis.n_features > 1 && !make_key(chooser, &design))
		return false;
	return robust_fit(chooser->robust, chooser->lsq, &design, chooser->key, &solution);
}

/* The explained deviance of the last robust fit, against @null. */
static double explained(const struct chooser *chooser, double null)
{
	return (chooser->robust->deviance - null) * candidate_chooser_rows(chooser) /
	       chooser->data->n_choice;
}

/* Does all of the guide @mask describe the rows as it weighs them better than what was chosen? */
static bool is_guide_better(struct chooser *chooser, const struct candidate *candidate,
			    basis_mask mask)
{
	const double rows = candidate_chooser_rows(chooser);
	const double part = (double)chooser->n / chooser->data->n_choice;
	struct lsq_solution solution;

	return lsq_solve(chooser->lsq, mask, &solution) &&
	       rows * part * log(fmax(solution.sse / chooser->n, SQUARE_MIN)) +
			       least_penalty(&candidate->basis, mask, rows) <
		       candidate->score;
}

/*
 * With many products the guide, and so its weights, may be far off; and it may have bent to a
 * single row. Choose again with weights of the chosen terms, unless even with these they are of no
 * use.
 */
static void choose_again(struct chooser *chooser, struct candidate *candidate, double null)
{
	struct candidate other = *candidate;

	if (candidate_weigh(chooser, &other, other.mask) &&
	    explained(chooser, null) < chooser->useless && choose_terms(chooser, &other))
		*candidate = other;
}

static bool candidate_best_terms(struct chooser *chooser, struct candidate *candidate)
{
	basis_mask guiding;
	double null;

	candidate_read_rows(chooser, candidate);
	guiding = guide(chooser, &candidate->basis);
	if (chooser->n < ROWS_MIN || !null_deviance(chooser, &null) ||
	    !candidate_weigh(chooser, candidate, guiding) || !choose_terms(chooser, candidate))
		return false;
	if (candidate->basis.n_terms > GUIDE_TERMS || is_guide_better(chooser, candidate, guiding))
		choose_again(chooser, candidate, null);
	candidate_judge(chooser, candidate);
	candidate->score = explained(chooser, null) + penalty(&candidate->basis, candidate->mask,
							      candidate->coefficients,
							      candidate_chooser_rows(chooser));
	return true;
}

bool candidate_evaluate(struct chooser *chooser, const size_t *predictors, unsigned n,
			bool products, struct candidate *ret)
{
	struct candidate candidate = {.mask = 0};
	unsigned i;

	memcpy(candidate.predictors, predictors, n * sizeof(*predictors));
	candidate.basis.n_features = n;
	for (i = 0; i < n; i++)
		candidate.basis.features[i] = candidate_describe(chooser->data, predictors[i]);
	basis_init(&candidate.basis, products);
	if (!candidate_best_terms(chooser, &candidate))
		return false;
	*ret = candidate;
	return true;
}

bool candidate_extend(struct chooser *chooser, const struct candidate *base,
		      const size_t *predictors, unsigned n, struct candidate *ret)
{
	struct candidate candidate = {.mask = 0};
	struct basis_feature features[2];
	unsigned i;

	memcpy(candidate.predictors, base->predictors, sizeof(candidate.predictors));
	for (i = 0; i < n; i++) {
		candidate.predictors[base->basis.n_features + i] = predictors[i];
		features[i] = candidate_describe(chooser->data, predictors[i]);
	}
	basis_extend(&base->basis, base->mask, features, n, &candidate.basis);
	if (!candidate_best_terms(chooser, &candidate))
		return false;
	*ret = candidate;
	return true;
}

bool candidate_revisit(struct chooser *chooser, const struct candidate *candidate)
{
	candidate_read_rows(chooser, candidate);
	if (chooser->n < ROWS_MIN || !candidate_weigh(chooser, candidate, candidate->mask))
		return false;
	candidate_judge(chooser, candidate);
	return true;
}
