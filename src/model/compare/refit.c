/* Fits given terms, with their covariance. Callers choose the terms and compare. */
#include "refit.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/regression/fit_quality.h"
#include "model/regression/robust.h"
#include "model/data/stats.h"

enum { PLAIN_ROUNDS = 1 };

/* The independent columns, scaled to at most 1 like the cost. */
struct scaled {
	struct lsq_design design;
	double *columns[LSQ_COLUMNS];
	double *y;
	double scale[LSQ_COLUMNS], y_scale;
	unsigned index[LSQ_COLUMNS]; /* of the given columns */
	struct lsq *lsq;
	struct robust *robust;
};

static double largest(const double *values, size_t n)
{
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		most = fmax(most, isfinite(values[i]) ? fabs(values[i]) : INFINITY);
	return most;
}

static double *scale_column(const double *values, size_t n, double scale)
{
	double *scaled = mem_alloc((n + 1) * sizeof(*scaled));
	size_t i;

	for (i = 0; i < n; i++)
		scaled[i] = values[i] / scale;
	return scaled;
}

static void take_column(struct scaled *scaled, const struct refit_rows *rows, unsigned j,
			double scale)
{
	const unsigned to = scaled->design.p++;

	scaled->columns[to] = scale_column(rows->columns[j], rows->n, scale);
	scaled->design.columns[to] = scaled->columns[to];
	scaled->scale[to] = scale;
	scaled->index[to] = j;
}

static void drop_last(struct scaled *scaled)
{
	free(scaled->columns[--scaled->design.p]);
	scaled->columns[scaled->design.p] = NULL;
}

static bool is_independent(struct scaled *scaled, const double *ones)
{
	struct lsq_solution ignored;

	return lsq_reduce(scaled->lsq, &scaled->design, ones) &&
	       lsq_solve(scaled->lsq, (1u << scaled->design.p) - 1, &ignored);
}

/* Keep columns independent of those before. False: one is not finite, or none is left. */
static bool refit_take_columns(struct scaled *scaled, const struct refit_rows *rows)
{
	double *ones = mem_alloc((rows->n + 1) * sizeof(*ones));
	bool finite = true;
	unsigned j;
	size_t i;

	for (i = 0; i < rows->n; i++)
		ones[i] = 1;
	for (j = 0; j < rows->p && finite; j++) {
		const double scale = largest(rows->columns[j], rows->n);

		finite = isfinite(scale);
		if (!finite || !(scale > 0))
			continue;
		take_column(scaled, rows, j, scale);
		if (!is_independent(scaled, ones))
			drop_last(scaled);
	}
	free(ones);
	return finite && scaled->design.p;
}

static bool scaled_init(struct scaled *scaled, const struct refit_rows *rows)
{
	const double y_scale = largest(rows->y, rows->n);

	*scaled = (struct scaled){.y_scale = y_scale > 0 ? y_scale : 1};
	scaled->lsq = lsq_create();
	scaled->robust = robust_create(rows->n);
	scaled->y = scale_column(rows->y, rows->n, scaled->y_scale);
	scaled->design.n = rows->n;
	scaled->design.y = scaled->y;
	return isfinite(y_scale) && refit_take_columns(scaled, rows) &&
	       rows->n >= 2 * scaled->design.p;
}

static void scaled_deinit(struct scaled *scaled)
{
	unsigned j;

	for (j = 0; j < scaled->design.p; j++)
		free(scaled->columns[j]);
	free(scaled->y);
	lsq_destroy(scaled->lsq);
	robust_destroy(scaled->robust);
}

static bool fit_plain(struct scaled *scaled, struct lsq_solution *ret)
{
	struct robust *robust = scaled->robust;
	size_t i;

	for (i = 0; i < scaled->design.n; i++)
		robust->weights[i] = robust->spread[i] = 1;
	return robust_refine(robust, scaled->lsq, &scaled->design, PLAIN_ROUNDS, ret);
}

static bool measure_errors(struct scaled *scaled, bool plain, struct refit *ret)
{
	const unsigned p = scaled->design.p;
	struct fit_errors errors;
	double factor;
	unsigned i, j;

	if (!fit_quality_errors(scaled->lsq, &scaled->design, scaled->robust, &errors))
		return false;
	factor = (plain ? 1 : pow(errors.correction, 2)) * (double)scaled->design.n /
		 errors.effective;
	for (i = 0; i < p; i++)
		for (j = 0; j < p; j++)
			ret->covariance[scaled->index[i]][scaled->index[j]] =
				errors.covariance[i][j] * factor;
	for (i = 0; i < p; i++)
		ret->std_errors[scaled->index[i]] =
			sqrt(fmax(errors.covariance[i][i] * factor, 0)) * scaled->y_scale /
			scaled->scale[i];
	ret->freedom = fmax(errors.effective - p, 1);
	return true;
}

static double find_r2(const struct scaled *scaled)
{
	const size_t n = scaled->design.n;
	const double total = stats_mean_square(scaled->y, n, stats_mean(scaled->y, n));

	return total > 0 ? 1 - stats_mean_square(scaled->robust->residual, n, 0) / total : NAN;
}

static bool fit_scaled(struct scaled *scaled, const struct refit_rows *rows, struct refit *ret)
{
	struct lsq_solution solution;
	unsigned j;

	if (rows->plain ? !fit_plain(scaled, &solution)
			: !robust_fit(scaled->robust, scaled->lsq, &scaled->design, rows->key,
				      &solution))
		return false;
	if (!measure_errors(scaled, rows->plain, ret))
		return false;
	ret->y_scale = scaled->y_scale;
	for (j = 0; j < rows->p; j++)
		ret->dropped[j] = true;
	for (j = 0; j < scaled->design.p; j++) {
		ret->dropped[scaled->index[j]] = false;
		ret->scale[scaled->index[j]] = scaled->scale[j];
		ret->coefficients[scaled->index[j]] =
			solution.coefficients[j] * scaled->y_scale / scaled->scale[j];
		if (!isfinite(ret->coefficients[scaled->index[j]]))
			return false;
	}
	ret->r2 = find_r2(scaled);
	return true;
}

bool refit_terms(const struct refit_rows *rows, struct refit *ret)
{
	struct refit refit = {.n = rows->n, .p = rows->p};
	struct scaled scaled;
	bool ok;

	if (rows->n < REFIT_ROWS_MIN)
		return false;
	ok = scaled_init(&scaled, rows) && fit_scaled(&scaled, rows, &refit);
	scaled_deinit(&scaled);
	if (ok)
		*ret = refit;
	return ok;
}

static double error_along(const struct refit *refit, const double *x)
{
	double scaled[LSQ_COLUMNS];
	double variance = 0;
	unsigned i, j;

	for (i = 0; i < refit->p; i++)
		scaled[i] = refit->dropped[i] ? 0 : x[i] / refit->scale[i];
	for (i = 0; i < refit->p; i++)
		for (j = 0; j < refit->p; j++)
			variance += scaled[i] * refit->covariance[i][j] * scaled[j];
	return sqrt(fmax(variance, 0)) * refit->y_scale;
}

double refit_value(const struct refit *refit, const double *x, double *ret_error)
{
	double sum = 0;
	unsigned j;

	for (j = 0; j < refit->p; j++)
		sum += refit->coefficients[j] * x[j];
	*ret_error = error_along(refit, x);
	return sum;
}

double refit_step_error(const struct refit *refit, const double *a, const double *b)
{
	double step[LSQ_COLUMNS] = {0};
	unsigned j;

	for (j = 0; j < refit->p; j++)
		step[j] = a[j] - b[j];
	return error_along(refit, step);
}
