/* Computes how far a fit can be trusted; fit.c decides. */
#include "fit_quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"

enum { FOLDS = 10 };

/* The share of explained variance that counts as most. */
#define MOST 0.8
/* Bound of leverage; a row that alone decides a coefficient has 1. */
#define LEVERAGE_MAX 0.9999

double fit_quality_spread(const double *values, size_t n)
{
	return n > 1 ? gsl_stats_sd(values, 1, n) : 0;
}

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

struct sandwich {
	unsigned p;
	double inverse[LSQ_COLUMNS][LSQ_COLUMNS]; /* of the triangle R */
	double bread[LSQ_COLUMNS][LSQ_COLUMNS];   /* inv(X'WX) */
	double meat[LSQ_COLUMNS][LSQ_COLUMNS];
	/* Sums of the robust weights and of the slopes of their influence. */
	double weights, slopes;
};

static void make_bread(struct sandwich *s)
{
	unsigned i, j, k;

	for (i = 0; i < s->p; i++)
		for (j = 0; j < s->p; j++) {
			s->bread[i][j] = 0;
			for (k = 0; k < s->p; k++)
				s->bread[i][j] += s->inverse[i][k] * s->inverse[j][k];
		}
}

/* Leverage: the squared length of a weighted row under the inverse triangle. */
static double quality_leverage(const struct sandwich *s, const double *x)
{
	double sum = 0;
	unsigned i, j;

	for (j = 0; j < s->p; j++) {
		double along = 0;

		for (i = 0; i <= j; i++)
			along += x[i] * s->inverse[i][j];
		sum += along * along;
	}
	return fmin(sum, LEVERAGE_MAX);
}

static void quality_add_row(struct sandwich *s, const struct fit_rows *rows, size_t r)
{
	const struct robust *robust = rows->robust;
	double z = robust->residual[r] / (robust->spread[r] * robust->scale);
	double x[LSQ_COLUMNS], pull;
	unsigned i, j;

	for (i = 0; i < s->p; i++)
		x[i] = rows->design.columns[i][r] * robust->weights[r];
	pull = robust->weights[r] * robust->residual[r] / (1 - quality_leverage(s, x));
	for (i = 0; i < s->p; i++)
		for (j = 0; j < s->p; j++)
			s->meat[i][j] += pull * pull * x[i] * x[j];
	s->weights += student_weight(z * z);
	s->slopes += student_slope(z * z);
}

/*
 * Standard errors that do not rely on the weights (sandwich HC3), corrected for robust weights
 * depending on residuals. Source: MacKinnon and White, J. of Econometrics 29 (1985); Huber, Robust
 * Statistics (1981), section 7.6.
 */
static void quality_measure_errors(struct fit_rows *rows, struct fit *fit)
{
	struct sandwich s = {.p = rows->design.p};
	unsigned i, j, k;
	double correction;
	size_t r;

	for (i = 0; i < fit->n_terms; i++)
		fit->std_errors[i] = INFINITY;
	if (!lsq_reduce(rows->lsq, &rows->design, rows->robust->weights) ||
	    !lsq_inverse(rows->lsq, s.inverse))
		return;
	make_bread(&s);
	for (r = 0; r < rows->design.n; r++)
		quality_add_row(&s, rows, r);
	correction = s.slopes > 0 ? fmax(s.weights / s.slopes, 1) : 2;
	for (i = 0; i < s.p; i++) {
		double variance = 0;

		for (j = 0; j < s.p; j++)
			for (k = 0; k < s.p; k++)
				variance += s.bread[i][j] * s.meat[j][k] * s.bread[k][i];
		fit->std_errors[i] = sqrt(fmax(variance, 0)) * fmin(correction, 2);
	}
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
	size_t n = rows->design.n;
	double *work = mem_alloc(2 * n * sizeof(*work));
	double rho = gsl_stats_spearman(rows->robust->fitted, 1, rows->y, 1, n, work);

	free(work);
	if (!(rho > 0) || n < 3)
		return 1;
	return rho >= 1 ? 0 : gsl_cdf_tdist_Q(rho * sqrt((n - 2) / (1 - rho * rho)), n - 2);
}

static int quality_compare_falling(const void *a, const void *b)
{
	double left = *(const double *)a;
	double right = *(const double *)b;

	return (left < right) - (left > right);
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
	qsort(parts, n, sizeof(*parts), quality_compare_falling);
	for (i = 0; i < n && sum < MOST * total; i++)
		sum += parts[i];
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
	fit->deviation = fit_quality_spread(rows->y, n);
	fit->std_errors[0] = n > 1 ? fit->deviation / sqrt(n) : NAN;
	cross_validate(rows, fit);
	fit->r2 = fit->cv_r2 = NAN;
}
