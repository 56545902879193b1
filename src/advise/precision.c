/* Weighted least squares of a formula that is there: its covariance, not its coefficients. */
#include "precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { TERMS_MAX = 12, TYPICAL = 3, TRIED = 32, ROWS_MIN = 3 };

/* The 97.5 % quantile of the normal distribution. */
#define INTERVAL 1.96
/* Values up to so many times the largest seen are tried: beyond, the formula may be another. */
#define BEYOND 10.0

struct model_rows {
	const struct study *study;
	const struct model *model;
	size_t *points; /* by expected cost */
	size_t n;
	size_t n_terms;
	double covariance[TERMS_MAX][TERMS_MAX];
};

static int compare_expected(const void *a, const void *b, void *study)
{
	const double *expected = ((const struct study *)study)->expected;
	const double x = expected[*(const size_t *)a], y = expected[*(const size_t *)b];

	return (x > y) - (x < y);
}

/* The model with most points, and these. */
static bool precision_rows(struct model_rows *rows)
{
	const struct study *study = rows->study;
	const struct annotation *annotation = study->annotation;

	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++) {
			const struct model *model = &annotation->cases[i].models[j];

			if (!rows->model || model->n_samples > rows->model->n_samples)
				rows->model = model;
		}
	for (size_t i = 0; i < study->n_points && rows->model; i++)
		if (study->cases[i] != STUDY_NONE && study->models[i] != STUDY_NONE &&
		    &annotation->cases[study->cases[i]].models[study->models[i]] == rows->model &&
		    study->deviation[i] > 0 && isfinite(study->expected[i]))
			rows->points[rows->n++] = i;
	qsort_r(rows->points, rows->n, sizeof(*rows->points), compare_expected, (void *)study);
	rows->n_terms = rows->model ? rows->model->mean.n_terms : 0;
	return rows->n >= ROWS_MIN && rows->n_terms && rows->n_terms <= TERMS_MAX &&
	       rows->n > rows->n_terms;
}

/* The terms for the features @x, without their coefficients. False: one has no value. */
static bool make_row(const struct model_rows *rows, const double *x, double *ret)
{
	for (size_t i = 0; i < rows->n_terms; i++) {
		struct term term = rows->model->mean.terms[i];

		/* In the unit of costs, so that the terms are of one size. */
		ret[i] = annotation_value(&(struct formula){&term, 1}, x);
		if (!isfinite(ret[i]))
			return false;
	}
	return true;
}

/* Invert the symmetric @a in place, by Gauss and Jordan without pivots. False: it is singular. */
static bool invert(double a[TERMS_MAX][TERMS_MAX], size_t n)
{
	double first[TERMS_MAX];

	for (size_t i = 0; i < n; i++)
		first[i] = a[i][i];
	for (size_t k = 0; k < n; k++) {
		const double pivot = a[k][k];

		if (!(pivot > first[k] * 1e-12))
			return false;
		for (size_t j = 0; j < n; j++)
			a[k][j] = j == k ? 1 / pivot : a[k][j] / pivot;
		for (size_t i = 0; i < n; i++) {
			const double factor = a[i][k];

			for (size_t j = 0; j < n && i != k; j++)
				a[i][j] = j == k ? -factor / pivot : a[i][j] - factor * a[k][j];
		}
	}
	return true;
}

static bool find_covariance(struct model_rows *rows, double *x)
{
	double row[TERMS_MAX];

	for (size_t i = 0; i < rows->n; i++) {
		const double deviation = rows->study->deviation[rows->points[i]];

		study_arguments(rows->study, rows->points[i], x);
		if (!make_row(rows, x, row))
			return false;
		for (size_t j = 0; j < rows->n_terms; j++)
			for (size_t k = 0; k < rows->n_terms; k++)
				rows->covariance[j][k] += row[j] / deviation * row[k] / deviation;
	}
	return invert(rows->covariance, rows->n_terms);
}

static double product(const struct model_rows *rows, const double *a, const double *b)
{
	double sum = 0;

	for (size_t i = 0; i < rows->n_terms; i++)
		for (size_t j = 0; j < rows->n_terms; j++)
			sum += a[i] * rows->covariance[i][j] * b[j];
	return sum;
}

/* How many calls with the features @z lower the variance at @x to a quarter. */
static double calls_to_halve(const struct model_rows *rows, const double *x, const double *z)
{
	const double variance = product(rows, x, x);
	double row[TERMS_MAX], deviation, weight, least;

	if (!make_row(rows, z, row))
		return INFINITY;
	deviation = annotation_value(&rows->model->deviation, z);
	if (!(deviation > 0))
		return INFINITY;
	weight = 1 / (deviation * deviation);
	least = product(rows, x, row);
	least = weight * (least * least - 0.75 * variance * product(rows, row, row));
	return least > 0 ? ceil(0.75 * variance / least) : INFINITY;
}

/* Try values of one feature, the others being as in a typical call. */
static void try_feature(const struct model_rows *rows, const double *x, double *z, unsigned feature,
			struct precision *ret)
{
	const struct annotation_feature *of = &rows->study->annotation->features[feature];
	const double before = z[feature], low = fmax(of->min, 1), high = BEYOND * of->max;

	for (unsigned i = 0; i <= TRIED && high > low; i++) {
		double calls;

		z[feature] = low * pow(high / low, (double)i / TRIED);
		if (of->type == FEATURE_INT)
			z[feature] = rint(z[feature]);
		calls = calls_to_halve(rows, x, z);
		if (calls < ret->calls) {
			ret->calls = calls;
			ret->feature = feature;
			ret->value = z[feature];
		}
	}
	z[feature] = before;
}

static void find_worst(const struct model_rows *rows, double *x, double *worst,
		       struct precision *ret)
{
	static const double quantiles[TYPICAL] = {0.1, 0.5, 0.9};
	double row[TERMS_MAX];

	for (unsigned i = 0; i < TYPICAL; i++) {
		const size_t point = rows->points[(size_t)(quantiles[i] * (double)(rows->n - 1))];
		const double cost = rows->study->expected[point];
		double relative;

		study_arguments(rows->study, point, x);
		if (!make_row(rows, x, row))
			continue;
		relative = INTERVAL * sqrt(fmax(product(rows, row, row), 0)) / fabs(cost);
		if (!(relative > ret->relative))
			continue;
		ret->relative = relative;
		ret->cost = cost;
		memcpy(worst, row, sizeof(row));
	}
}

bool precision_find(const struct study *study, struct precision *ret)
{
	const size_t n_features = study->annotation->n_features;
	struct model_rows rows = {.study = study,
				  .points = mem_alloc((study->n_points + 1) * sizeof(size_t))};
	double *x = mem_alloc((n_features + 1) * sizeof(*x)), worst[TERMS_MAX];
	bool ok = precision_rows(&rows) && find_covariance(&rows, x);

	*ret = (struct precision){.relative = -1, .feature = STUDY_NONE, .calls = INFINITY};
	if (ok)
		find_worst(&rows, x, worst, ret);
	ok = ok && ret->relative >= 0 && isfinite(ret->relative);
	if (ok) {
		study_arguments(study, rows.points[rows.n / 2], x);
		for (unsigned i = 0; i < n_features; i++)
			if (annotation_formula_uses(&rows.model->mean, i))
				try_feature(&rows, worst, x, i, ret);
		if (rows.n_terms == 1 && !rows.model->mean.terms[0].n_factors)
			ret->calls = 3 * (double)rows.n;
	}
	free(rows.points);
	free(x);
	return ok;
}
