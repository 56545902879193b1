/*
 * The final fit: drops insignificant terms, leaves out far rows, and tests the model. fit_quality.c
 * computes errors and R2.
 */
#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "core/run.h"
#include "deviation.h"
#include "far_rows.h"
#include "fit_quality.h"
#include "model/data/stats.h"

enum { ROUNDS_FINAL = 20 };

/* Smaller scaled deviations are rounding: the cost is exact. */
#define ROUNDING 1e-12
/* The log of the ways to choose far rows counts up to this: the choice is not free. */
#define WAYS_MAX 10.0
/* The probability of naming a feature without influence, or a needless lower-order term. */
#define FALSE_FEATURE 0.01
#define FALSE_TERM    0.01
/* Cross-validated R2, an estimate, may be this much below min_r2. */
#define CV_SLACK 0.15

static void destroy_rows(struct fit_rows *rows)
{
	unsigned i;

	for (i = 0; i < FIT_TERMS; i++)
		free(rows->columns[i]);
	for (i = 0; i < BASIS_FEATURES; i++)
		free(rows->x[i]);
	free(rows->y);
	free(rows->key);
	lsq_destroy(rows->lsq);
	robust_destroy(rows->robust);
}

static void create_rows(struct fit_rows *rows, size_t n, unsigned features)
{
	unsigned i;

	memset(rows, 0, sizeof(*rows));
	rows->y = mem_alloc(n * sizeof(double));
	if (features)
		rows->key = mem_alloc(n * sizeof(double));
	for (i = 0; i < features; i++)
		rows->x[i] = mem_alloc(n * sizeof(double));
	rows->lsq = lsq_create();
	rows->robust = robust_create(n);
}

bool fit_read(const struct fit *fit, size_t row, double *ret)
{
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++) {
		if (fit->columns[i]->absence[row] != PRESENT ||
		    !isfinite(fit->columns[i]->numbers[row]))
			return false;
		ret[i] = fit->columns[i]->numbers[row];
	}
	return true;
}

static void fit_read_rows(const struct dataset *data, const struct fit *fit, struct fit_rows *rows)
{
	const unsigned features = fit->candidate.basis.n_features;
	size_t i;
	unsigned j;

	create_rows(rows, data->n_rows, features);
	for (i = 0; i < data->n_rows; i++) {
		size_t row = data->order[i];
		double x[BASIS_FEATURES];

		if (!fit_read(fit, row, x))
			continue;
		for (j = 0; j < features; j++)
			rows->x[j][rows->design.n] = x[j];
		rows->y[rows->design.n++] =
			data->y_max > 0 ? data->metric->numbers[row] / data->y_max : 0;
	}
	rows->design.y = rows->y;
}

/* Slower growth first, then fewer factors, then the order of the basis. */
static bool term_comes_before(const struct basis *basis, unsigned a, unsigned b)
{
	const enum growth left = basis_growth(basis, basis_bit(a));
	const enum growth right = basis_growth(basis, basis_bit(b));

	if (left != right)
		return left < right;
	if (basis->terms[a].n != basis->terms[b].n)
		return basis->terms[a].n < basis->terms[b].n;
	return a < b;
}

static unsigned list_terms(const struct candidate *candidate, unsigned *ret)
{
	unsigned n = 0;
	unsigned term, at;

	for (term = 0; term < candidate->basis.n_terms && n < FIT_TERMS; term++) {
		if (!(candidate->mask & basis_bit(term)))
			continue;
		for (at = n++; at && term_comes_before(&candidate->basis, term, ret[at - 1]); at--)
			ret[at] = ret[at - 1];
		ret[at] = term;
	}
	return n;
}

/* Columns of the terms, and predictions as the key that orders rows. */
static void make_columns(const struct candidate *candidate, struct fit *fit, struct fit_rows *rows)
{
	const unsigned features = candidate->basis.n_features;
	size_t n = rows->design.n;
	unsigned j, k;
	size_t i;

	fit->n_terms = list_terms(candidate, fit->terms);
	rows->design.p = fit->n_terms;
	for (j = 0; j < fit->n_terms; j++) {
		if (!rows->columns[j])
			rows->columns[j] = mem_alloc(n * sizeof(double));
		rows->design.columns[j] = rows->columns[j];
		for (i = 0; i < n; i++) {
			double x[BASIS_FEATURES];

			for (k = 0; k < features; k++)
				x[k] = rows->x[k][i];
			rows->columns[j][i] = basis_value(&candidate->basis, fit->terms[j], x);
		}
		for (i = 0; features && i < n; i++)
			rows->key[i] = (j ? rows->key[i] : 0) +
				       candidate->coefficients[fit->terms[j]] * rows->columns[j][i];
	}
}

/* What cannot be told from nothing, as a part of y_max. */
static double fit_resolution(const struct dataset *data)
{
	return data->y_max > 0 ? data->resolution / data->y_max : 0;
}

void fit_count_far(struct fit *fit, double y)
{
	const double from = y - fit->far_mean;
	const double n = (double)++fit->n_far;
	const double square = fit->far_deviation * fit->far_deviation;

	fit->far_mean += from / n;
	fit->far_deviation = sqrt(square * (n - 1) / n + from * (y - fit->far_mean) / n);
}

/* Drop the far rows. */
static void leave_out_far(const struct dataset *data, struct fit_rows *rows, struct fit *fit)
{
	struct robust *robust = rows->robust;
	const size_t n = rows->design.n;
	bool *far = mem_alloc(n * sizeof(*far));
	const bool any = far_rows_find(robust, n, fit_resolution(data), far) > 0;
	size_t kept = 0;
	size_t i;
	unsigned j;

	if (any)
		fit->r2_far = fit_quality_r2(rows->y, robust->residual, n);
	for (i = 0; any && i < n; i++) {
		if (far[i]) {
			fit_count_far(fit, rows->y[i]);
			continue;
		}
		for (j = 0; j < rows->design.p; j++)
			rows->columns[j][kept] = rows->columns[j][i];
		for (j = 0; j < BASIS_FEATURES && rows->x[j]; j++)
			rows->x[j][kept] = rows->x[j][i];
		rows->y[kept] = rows->y[i];
		robust->spread[kept] = robust->spread[i];
		robust->weights[kept++] = robust->weights[i];
	}
	if (any)
		rows->design.n = kept;
	free(far);
}

static double p_value(double coefficient, double std_error, double freedom)
{
	return isfinite(std_error) && freedom >= 1
		       ? stats_chance(coefficient, 0, std_error, freedom)
		       : 1;
}

/* The number of ways to leave out as many rows, bounded. */
static double count_ways(const struct fit *fit)
{
	return exp(fmin(gsl_sf_lnchoose(fit->n_used + fit->n_far, fit->n_far), WAYS_MAX));
}

/*
 * The number of competing models, to correct significance: choices of features, growths and far
 * rows. Pinned features were not chosen.
 */
static double count_choices(const struct dataset *data, const struct fit *fit)
{
	const double growths = GROWTH_FIXED - 1.0;
	unsigned chosen = 0;
	double models = data->tried;
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		models *= dataset_is_pinned(data, fit->columns[i])
				  ? growths
				  : growths * data->n_predictors / ++chosen;
	return fmax(models, 1) * count_ways(fit);
}

/* The same of one term: if all its features are pinned, others do not count. */
static double count_term_choices(const struct dataset *data, const struct fit *fit, unsigned j)
{
	const struct basis_term *term = &fit->candidate.basis.terms[fit->terms[j]];
	double growths = 1;
	unsigned i;

	for (i = 0; i < term->n; i++) {
		if (!dataset_is_pinned(data, fit->columns[term->factors[i].feature]))
			break;
		growths *= GROWTH_FIXED - 1.0;
	}
	return i && i == term->n ? growths * count_ways(fit) : count_choices(data, fit);
}

/* The corrected p-value of term @j being 0 over the allowed one: above 1 it is not significant. */
static double idleness(const struct dataset *data, const struct fit *fit, unsigned j)
{
	double freedom = (double)fit->n_used - fit->n_terms;
	double p = p_value(fit->coefficients[j], fit->std_errors[j], freedom);

	return basis_leads(&fit->candidate.basis, fit->candidate.mask, fit->terms[j])
		       ? p * count_term_choices(data, fit, j) / FALSE_FEATURE
		       : p / FALSE_TERM;
}

/* The least significant term that can go without losing a feature; n_terms: none. */
static unsigned find_idle(const struct dataset *data, const struct fit *fit, bool any)
{
	double worst = any ? -1 : 1;
	unsigned found = fit->n_terms;
	unsigned j;

	for (j = 0; j < fit->n_terms; j++) {
		basis_mask rest = fit->candidate.mask & ~basis_bit(fit->terms[j]);
		double idle = idleness(data, fit, j);

		if (idle <= worst || !basis_is_model(&fit->candidate.basis, rest))
			continue;
		worst = idle;
		found = j;
	}
	return found;
}

/*
 * Do enough rows support the model? One large call with a large feature by chance makes any line
 * significant. Either predictions rank all rows, or more rows decide than chance would pick.
 */
static bool is_broad(const struct fit *fit, double choices)
{
	double picks = gsl_sf_lnchoose(fit->n_used, fit->n_deciding);

	return fit->rank_p * choices <= FALSE_FEATURE || log(choices) - picks <= log(FALSE_FEATURE);
}

static bool is_significant(const struct dataset *data, const struct fit *fit)
{
	double choices = count_choices(data, fit);
	double freedom = (double)fit->n_used - fit->n_terms;
	double explained = fmax(fit->n_terms - 1.0, 1);
	double f = fit->r2 / explained / ((1 - fit->r2) / freedom);
	unsigned j;

	if (freedom < 2 || !(fit->r2 > 0) || !is_broad(fit, choices))
		return false;
	if (fit->r2 < 1 && gsl_cdf_fdist_Q(f, explained, freedom) * choices > FALSE_FEATURE)
		return false;
	for (j = 0; j < fit->n_terms; j++)
		if (idleness(data, fit, j) > 1)
			return false;
	return true;
}

static void measure_noise(const struct fit_rows *rows, struct fit *fit)
{
	const struct robust *robust = rows->robust;

	fit->deviation_part = fit->deviation_base = 0;
	deviation_find(robust->residual, robust->fitted, rows->design.n, &fit->deviation_base,
		       &fit->deviation_part);
}

static double find_effect(const struct fit_rows *rows)
{
	double low, high;

	gsl_stats_minmax(&low, &high, rows->robust->fitted, 1, rows->design.n);
	return high - low;
}

/* Convert to plain units. False: a number overflows. */
static bool fit_unscale(const struct dataset *data, struct fit *fit)
{
	const struct basis *basis = &fit->candidate.basis;
	const double least = fit_least_deviation(data->resolution);
	unsigned j;

	for (j = 0; j < fit->n_terms; j++) {
		double scaled = fit->coefficients[j];
		double error = fit->std_errors[j];

		if (!basis_coefficient(basis, fit->terms[j], scaled, data->y_max,
				       &fit->coefficients[j]))
			return false;
		basis_coefficient(basis, fit->terms[j], error, data->y_max, &fit->std_errors[j]);
		if (!isfinite(fit->std_errors[j]))
			fit->std_errors[j] = NAN;
	}
	fit->effect *= data->y_max;
	fit->far_mean *= data->y_max;
	fit->far_deviation *= data->y_max;
	fit->deviance += 2 * (double)(fit->n_used + fit->n_far) * log(data->y_max);
	if (fit->deviation < ROUNDING)
		fit->deviation = fit->deviation_part = fit->deviation_base = 0;
	fit->deviation_base = fmax(fit->deviation_base * data->y_max, least);
	fit->deviation = fmax(fit->deviation * data->y_max, least);
	return isfinite(fit->deviation);
}

/* One fit of all terms, in scaled units. */
static bool fit_once(const struct dataset *data, struct fit *fit)
{
	struct lsq_solution solution;
	struct fit_rows rows;
	bool ok;
	unsigned j;

	fit_read_rows(data, fit, &rows);
	fit->n_absent = data->n_rows - rows.design.n;
	fit->n_far = 0;
	fit->far_mean = fit->far_deviation = 0;
	make_columns(&fit->candidate, fit, &rows);
	ok = rows.design.n > fit->n_terms &&
	     (fit->candidate.free_low > 0 ? robust_fit_along : robust_fit)(
		     rows.robust, rows.lsq, &rows.design, rows.key, &solution);
	if (ok) {
		fit->deviance = rows.robust->deviance;
		leave_out_far(data, &rows, fit);
		ok = robust_refine(rows.robust, rows.lsq, &rows.design, ROUNDS_FINAL, &solution);
	}
	if (ok) {
		fit->n_used = rows.design.n;
		memset(fit->candidate.coefficients, 0, sizeof(fit->candidate.coefficients));
		for (j = 0; j < fit->n_terms; j++) {
			fit->coefficients[j] = solution.coefficients[j];
			fit->candidate.coefficients[fit->terms[j]] = solution.coefficients[j];
		}
		fit_quality_measure(&rows, fit);
		measure_noise(&rows, fit);
		fit->effect = find_effect(&rows);
	}
	destroy_rows(&rows);
	return ok;
}

static enum verdict fit_judge(const struct dataset *data, const struct fit *fit, double min_r2)
{
	if (!is_significant(data, fit) || fit->effect * data->y_max < data->resolution)
		return VERDICT_REFUSED;
	if (!(fit->cv_r2 >= fmin(min_r2, fit->r2) - CV_SLACK))
		return VERDICT_REFUSED;
	return fit->r2 >= min_r2 ? VERDICT_BELIEVED : VERDICT_LOOSE;
}

double fit_least_deviation(double resolution)
{
	return resolution / RESOLUTION_DEVIATIONS;
}

void fit_candidate(const struct dataset *data, const struct candidate *candidate, double min_r2,
		   struct fit *ret)
{
	struct fit fit = {.candidate = *candidate};
	unsigned i;

	for (i = 0; i < candidate->basis.n_features; i++)
		fit.columns[i] = data->predictors[candidate->predictors[i]].column;
	ret->verdict = VERDICT_REFUSED;
	for (;;) {
		bool believable;
		unsigned idle;

		if (!fit_once(data, &fit))
			return;
		believable = basis_believable(&fit.candidate.basis, fit.candidate.mask,
					      fit.candidate.coefficients, data->y_negative);
		idle = find_idle(data, &fit, !believable);
		if (idle == fit.n_terms) {
			if (!believable)
				return;
			break;
		}
		fit.candidate.mask &= ~basis_bit(fit.terms[idle]);
	}
	fit.verdict = fit_judge(data, &fit, min_r2);
	if (!fit_unscale(data, &fit))
		return;
	fit.is_trend = fit.n_far > fmax(FAR_ROWS_FEW * (fit.n_used + fit.n_far), 1);
	*ret = fit;
}

void fit_constant(const struct dataset *data, struct fit *ret)
{
	struct fit fit = {.verdict = VERDICT_BELIEVED};
	struct lsq_solution solution;
	struct fit_rows rows;

	fit.candidate.mask = 1;
	basis_init(&fit.candidate.basis, false);
	fit_read_rows(data, &fit, &rows);
	make_columns(&fit.candidate, &fit, &rows);
	if (robust_fit(rows.robust, rows.lsq, &rows.design, NULL, &solution)) {
		fit.deviance = rows.robust->deviance;
		leave_out_far(data, &rows, &fit);
	}
	fit.n_used = rows.design.n;
	fit_quality_measure_constant(&rows, &fit);
	if (!fit_unscale(data, &fit))
		fit.deviation = 0;
	destroy_rows(&rows);
	*ret = fit;
}

bool fit_is_late(const struct fit *fit)
{
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		if (fit->columns[i]->provenance == FROM_RETURN)
			return true;
	return false;
}

double fit_value(const struct fit *fit, const double *x)
{
	const struct basis *basis = &fit->candidate.basis;
	double sum = 0;
	unsigned j;

	for (j = 0; j < fit->n_terms; j++) {
		double unit = 1;

		if (basis_coefficient(basis, fit->terms[j], 1, 1, &unit))
			sum += fit->coefficients[j] / unit * basis_value(basis, fit->terms[j], x);
	}
	return sum;
}
