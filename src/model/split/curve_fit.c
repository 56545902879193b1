/*
 * Student's t weights over the squared spread, and least squares by Gram-Schmidt for the few
 * columns of a curve; lsq.c takes any number of them. curve.c chooses the curves.
 */
#include "curve_fit.h"

#include <math.h>
#include <string.h>

#include "model/regression/student.h"

enum { ROUNDS_SCALE = 8, NEIGHBOURS = 5 };

/* Minimum scale: no machine is more exact. */
#define SCALE_LEAST 1e-3
/* Residuals are clipped at this many scales. */
#define SCALE_CLIP 3.0
/* Columns that differ less from those before are dropped. */
#define COLUMN_LEAST 1e-6

void curve_fit_start(struct curve_fitter *fitter)
{
	size_t n = fitter->n;
	double sum = 0;
	size_t from = 0, to = 0;
	size_t i;

	for (i = 0; i < n; i++)
		fitter->target[i] = asinh(fitter->y[i] / fitter->floor);
	for (i = 0; i < n; i++) {
		for (; to < n && to <= i + NEIGHBOURS; to++)
			sum += fitter->target[to];
		for (; from + NEIGHBOURS < i; from++)
			sum -= fitter->target[from];
		fitter->value[i] = sinh(sum / (double)(to - from)) * fitter->floor;
	}
}

/* Two accumulators hide the latency of addition: models spend much time here. */
static double clipped_square(double x, double most)
{
	return x * x < most ? x * x : most;
}

static double sum_of_clipped(const double *residuals, size_t n, double most)
{
	double even = 0, odd = 0;
	size_t i;

	for (i = 0; i + 1 < n; i += 2) {
		even += clipped_square(residuals[i], most);
		odd += clipped_square(residuals[i + 1], most);
	}
	return even + odd + (i < n ? clipped_square(residuals[i], most) : 0);
}

static double dot(const double *a, const double *b, size_t n)
{
	double even = 0, odd = 0;
	size_t i;

	for (i = 0; i + 1 < n; i += 2) {
		even += a[i] * b[i];
		odd += a[i + 1] * b[i + 1];
	}
	return even + odd + (i < n ? a[i] * b[i] : 0);
}

double curve_fit_scale(const double *residuals, size_t n, size_t n_params)
{
	double freedom = n > n_params + 1 ? (double)(n - n_params) : 1;
	double square = 0;
	unsigned round;
	size_t i;

	for (i = 0; i < n; i++)
		square += fabs(residuals[i]);
	square = square / (double)n * square / (double)n;
	for (round = 0; round < ROUNDS_SCALE; round++)
		square = sum_of_clipped(residuals, n, SCALE_CLIP * SCALE_CLIP * square) / (double)n;
	return fmax(sqrt(square * (double)n / freedom), SCALE_LEAST);
}

double curve_spread(const struct curve_fitter *fitter, enum spread spread, double value)
{
	switch (spread) {
	case SPREAD_RELATIVE:
		return sqrt(value * value + fitter->floor * fitter->floor);
	case SPREAD_EVEN:
	case SPREAD_COUNT:
		break;
	}
	return fitter->level;
}

/* Square roots of the weights. */
static void curve_weigh(struct curve_fitter *fitter, enum spread spread, size_t n_params)
{
	double scale;
	size_t i;

	for (i = 0; i < fitter->n; i++)
		fitter->residual[i] = (fitter->y[i] - fitter->value[i]) /
				      curve_spread(fitter, spread, fitter->value[i]);
	scale = curve_fit_scale(fitter->residual, fitter->n, n_params);
	for (i = 0; i < fitter->n; i++) {
		double relative = fitter->residual[i] / scale;

		fitter->weight[i] = sqrt(student_weight(relative * relative)) /
				    curve_spread(fitter, spread, fitter->value[i]);
	}
}

static void curve_subtract(double *from, double times, const double *what, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		from[i] -= times * what[i];
}

/* Least squares with the present weights; returns the number of independent columns. */
static unsigned curve_solve(struct curve_fitter *fitter, const struct curve_shape *shape,
			    double *ret)
{
	double r[CURVE_TERMS][CURVE_TERMS] = {{0}};
	double z[CURVE_TERMS] = {0};
	unsigned n_params = 0;
	size_t n = fitter->n;
	unsigned i, j;
	size_t row;

	for (row = 0; row < n; row++)
		fitter->target[row] = fitter->weight[row] * fitter->y[row];
	for (j = 0; j < shape->n; j++) {
		double *q = fitter->q[j];
		double before, after;

		for (row = 0; row < n; row++)
			q[row] = fitter->weight[row] * fitter->columns[shape->terms[j]][row];
		before = sqrt(dot(q, q, n));
		for (i = 0; i < j; i++) {
			r[i][j] = r[i][i] > 0 ? dot(fitter->q[i], q, n) : 0;
			curve_subtract(q, r[i][j], fitter->q[i], n);
		}
		after = sqrt(dot(q, q, n));
		if (!(after > COLUMN_LEAST * before))
			continue;
		r[j][j] = after;
		for (row = 0; row < n; row++)
			q[row] /= after;
		z[j] = dot(q, fitter->target, n);
		curve_subtract(fitter->target, z[j], q, n);
		n_params++;
	}
	for (j = shape->n; j-- > 0;) {
		ret[j] = 0;
		if (r[j][j] <= 0)
			continue;
		for (i = j + 1; i < shape->n; i++)
			z[j] -= r[j][i] * ret[i];
		ret[j] = z[j] / r[j][j];
	}
	return n_params;
}

void curve_fit_evaluate(struct curve_fitter *fitter, const struct curve_shape *shape,
			const double *coefficients)
{
	size_t i;
	unsigned j;

	memset(fitter->value, 0, fitter->n * sizeof(*fitter->value));
	for (j = 0; j < shape->n; j++)
		for (i = 0; i < fitter->n; i++)
			fitter->value[i] += coefficients[j] * fitter->columns[shape->terms[j]][i];
}

void curve_fit(struct curve_fitter *fitter, const struct curve_shape *shape, enum spread spread,
	       unsigned rounds, struct curve *ret)
{
	while (rounds--) {
		curve_weigh(fitter, spread, ret->n_params);
		ret->n_params = curve_solve(fitter, shape, ret->coefficients);
		curve_fit_evaluate(fitter, shape, ret->coefficients);
	}
}
