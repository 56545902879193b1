/* Computes how far a fit can be trusted; fit.c decides. */
#include "fit_quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "base/numbers.h"
#include "model/data/row_order.h"
#include "model/data/stats.h"

enum { FOLDS = 10 };

/* The share of explained variance that counts as most. */
#define MOST 0.8
/* Bound of leverage; a row that alone decides a coefficient has 1. */
#define LEVERAGE_MAX 0.9999

static double sum_of_squares(const double *values, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += values[i] * values[i];
	return sum;
}

double fit_quality_r2(const double *y, const double *residual, size_t n)
{
	double total = gsl_stats_tss(y, 1, n);

	return total > 0 ? 1 - sum_of_squares(residual, n) / total : 0;
}

typedef double square[LSQ_COLUMNS][LSQ_COLUMNS];

/* Leverage: the squared length of a weighted row under the inverse triangle. */
static double quality_leverage(square inverse, unsigned p, const double *x)
{
	double sum = 0;
	unsigned i, j;

	for (j = 0; j < p; j++) {
		double along = 0;

		for (i = 0; i <= j; i++)
			along += x[i] * inverse[i][j];
		sum += along * along;
	}
	return fmin(sum, LEVERAGE_MAX);
}

/* Each row's influence on each column. */
static void add_pulls(const struct lsq_design *design, const struct robust *robust, square inverse,
		      square meat, struct fit_errors *ret)
{
	double *pulls = mem_alloc((design->n + 1) * sizeof(*pulls));
	double weights = 0, slopes = 0;
	size_t i;

	for (i = 0; i < design->n; i++) {
		const double z = robust->residual[i] / (robust->spread[i] * robust->scale);
		double x[LSQ_COLUMNS], pull;
		unsigned j, k;

		for (j = 0; j < design->p; j++)
			x[j] = design->columns[j][i] * robust->weights[i];
		pulls[i] = robust->weights[i] * robust->residual[i];
		pull = pulls[i] / (1 - quality_leverage(inverse, design->p, x));
		for (j = 0; j < design->p; j++)
			for (k = 0; k < design->p; k++)
				meat[j][k] += pull * pull * x[j] * x[k];
		weights += student_weight(z * z);
		slopes += student_slope(z * z);
	}
	ret->correction = slopes > 0 ? fmin(fmax(weights / slopes, 1), 2) : 2;
	ret->effective = stats_effective(pulls, design->n);
	free(pulls);
}

static void quality_multiply(unsigned p, square a, square b, bool transposed, square ret)
{
	unsigned i, j, k;

	for (i = 0; i < p; i++)
		for (j = 0; j < p; j++) {
			ret[i][j] = 0;
			for (k = 0; k < p; k++)
				ret[i][j] += a[i][k] * (transposed ? b[j][k] : b[k][j]);
		}
}

bool fit_quality_errors(struct lsq *lsq, const struct lsq_design *design,
			const struct robust *robust, struct fit_errors *ret)
{
	square inverse, bread, half, meat = {{0}};

	if (!lsq_reduce(lsq, design, robust->weights) || !lsq_inverse(lsq, inverse))
		return false;
	quality_multiply(design->p, inverse, inverse, true, bread);
	add_pulls(design, robust, inverse, meat, ret);
	quality_multiply(design->p, bread, meat, false, half);
	quality_multiply(design->p, half, bread, false, ret->covariance);
	return true;
}

static void quality_measure_errors(struct fit_rows *rows, struct fit *fit)
{
	struct fit_errors errors;
	unsigned i;

	for (i = 0; i < fit->n_terms; i++)
		fit->std_errors[i] = INFINITY;
	if (!fit_quality_errors(rows->lsq, &rows->design, rows->robust, &errors))
		return;
	for (i = 0; i < rows->design.p; i++)
		fit->std_errors[i] = sqrt(fmax(errors.covariance[i][i], 0)) * errors.correction;
}

/* Predict a fold from the others, with the weights of the whole fit; false: they do not suffice. */
static bool predict_fold(struct fit_rows *rows, size_t fold, double *weights, double *errors)
{
	struct lsq_solution solution;
	size_t n = rows->design.n;
	size_t i;
	unsigned j;

	memcpy(weights, rows->robust->weights, n * sizeof(*weights));
	for (i = fold; i < n; i += FOLDS)
		weights[i] = 0;
	if (!lsq_reduce(rows->lsq, &rows->design, weights) || !lsq_solve_all(rows->lsq, &solution))
		return false;
	for (i = fold; i < n; i += FOLDS) {
		errors[i] = rows->y[i];
		for (j = 0; j < rows->design.p; j++)
			errors[i] -= solution.coefficients[j] * rows->design.columns[j][i];
	}
	return true;
}

/* Median relative error where the metric is not 0; NAN if it always is. */
static double median_relative(const double *errors, const double *y, size_t n, double *scratch)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (y[i] != 0)
			scratch[count++] = fabs(errors[i] / y[i]);
	return count ? gsl_stats_median(scratch, 1, count) : NAN;
}

/* Folds are even steps in canonical order: independent of the order of samples. */
static void cross_validate(struct fit_rows *rows, struct fit *fit)
{
	size_t n = rows->design.n;
	double *weights = mem_alloc(n * sizeof(*weights));
	double *errors = mem_alloc(n * sizeof(*errors));
	bool ok = n > 1;
	size_t fold;

	fit->cv_r2 = fit->error = NAN;
	for (fold = 0; ok && fold < FOLDS && fold < n; fold++)
		ok = predict_fold(rows, fold, weights, errors);
	if (ok) {
		fit->cv_r2 = fit_quality_r2(rows->y, errors, n);
		fit->error = median_relative(errors, rows->y, n, weights);
	}
	free(weights);
	free(errors);
}

static double rank_chance(const struct fit_rows *rows)
{
	const size_t n = rows->design.n;

	return stats_rank_chance(row_order_correlation(rows->robust->fitted, rows->y, n), n);
}

/* The fewest rows with MOST of the weighted variance of predictions. */
static size_t count_deciding(const struct fit_rows *rows)
{
	const struct robust *robust = rows->robust;
	size_t n = rows->design.n;
	double *parts = mem_alloc(n * sizeof(*parts));
	double weights = 0, mean = 0, total = 0, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		weights += robust->weights[i] * robust->weights[i];
	for (i = 0; i < n; i++)
		mean += robust->weights[i] * robust->weights[i] / weights * robust->fitted[i];
	for (i = 0; i < n; i++) {
		parts[i] = pow(robust->weights[i] * (robust->fitted[i] - mean), 2);
		total += parts[i];
	}
	numbers_sort(parts, n);
	for (i = 0; i < n && sum < MOST * total; i++)
		sum += parts[n - 1 - i];
	free(parts);
	return i;
}

void fit_quality_measure(struct fit_rows *rows, struct fit *fit)
{
	size_t n = rows->design.n;
	const double *residual = rows->robust->residual;

	fit->r2 = fit_quality_r2(rows->y, residual, n);
	fit->deviation = sqrt(sum_of_squares(residual, n) / (n - fit->n_terms));
	fit->rank_p = rank_chance(rows);
	fit->n_deciding = count_deciding(rows);
	quality_measure_errors(rows, fit);
	cross_validate(rows, fit);
}

void fit_quality_measure_constant(struct fit_rows *rows, struct fit *fit)
{
	size_t n = rows->design.n;
	size_t i;

	for (i = 0; i < n; i++)
		rows->robust->weights[i] = 1;
	fit->coefficients[0] = gsl_stats_mean(rows->y, 1, n);
	fit->deviation = n > 1 ? gsl_stats_sd(rows->y, 1, n) : 0;
	fit->std_errors[0] = n > 1 ? fit->deviation / sqrt(n) : NAN;
	cross_validate(rows, fit);
	fit->r2 = fit->cv_r2 = NAN;
}
