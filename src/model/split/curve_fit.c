/*
 * Student's t weights over the squared spread, and least squares by Gram-Schmidt for the few
 * columns of a curve; lsq.c takes any number of them. curve.c chooses the curves.
 */
#include "curve_fit.h"

#include <math.h>
#include <string.h>

#include "model/data/lanes.h"
#include "model/regression/student.h"

enum { ROUNDS_SCALE = 8, NEIGHBOURS = 5 };

/* Minimum scale: no machine is more exact. */
#define SCALE_LEAST 1e-3
/* For weights, and for comparing curves. */
#define SCALE_SETTLED 1e-3
#define SCALE_FOUND   1e-6
/* Residuals are clipped at this many scales. */
#define SCALE_CLIP 3.0
/* Columns that differ less from those before are dropped. */
#define COLUMN_LEAST 1e-6

void curve_fit_bend(struct curve_fitter *fitter, const double *y)
{
	size_t i;

	for (i = 0; i < fitter->n_choice; i++)
		fitter->bent[i] = asinh(y[i] / fitter->floor);
}

void curve_fit_start(struct curve_fitter *fitter)
{
	size_t n = fitter->n;
	double sum = 0;
	size_t from = 0, to = 0;
	size_t i;

	for (i = 0; i < n; i++)
		fitter->target[i] = fitter->bent[fitter->rows[i]];
	for (i = 0; i < n; i++) {
		for (; to < n && to <= i + NEIGHBOURS; to++)
			sum += fitter->target[to];
		for (; from + NEIGHBOURS < i; from++)
			sum -= fitter->target[from];
		fitter->value[i] = sinh(sum / (double)(to - from)) * fitter->floor;
	}
}

/* The sum of residual squares, each at most @most. */
static LANES_INLINE double sum_of_clipped(const double *residuals, size_t n, double most)
{
	lanes_row sums = {0}, some;
	size_t i;

	for (i = 0; i + LANES_WIDE <= n; i += LANES_WIDE) {
		lanes_load(residuals + i, &some);
		some *= some;
		lanes_bound(&some, most);
		sums += some;
	}
	lanes_load_some(residuals + i, n - i, 0, &some);
	some *= some;
	lanes_bound(&some, most);
	sums += some;
	return lanes_total(&sums);
}

/* From the squared scale @square on; 0: not known. Ends where it changes by @settled of itself. */
LANES static double curve_scale_from(const double *residuals, size_t n, size_t n_params,
				     double square, double settled)
{
	double freedom = n > n_params + 1 ? (double)(n - n_params) : 1;
	unsigned round;

	if (!(square > 0)) {
		square = lanes_sum_of_sizes(residuals, n) / (double)n;
		square *= square;
	}
	for (round = 0; round < ROUNDS_SCALE; round++) {
		const double last = square;

		square = sum_of_clipped(residuals, n, SCALE_CLIP * SCALE_CLIP * square) / (double)n;
		if (fabs(square - last) <= settled * last)
			break;
	}
	return fmax(sqrt(square * (double)n / freedom), SCALE_LEAST);
}

double curve_fit_scale(const double *residuals, size_t n, size_t n_params)
{
	return curve_scale_from(residuals, n, n_params, 0, 0);
}

double curve_fit_rescale(const struct curve_fitter *fitter, size_t n_params)
{
	return curve_scale_from(fitter->residual, fitter->n, n_params,
				fitter->scale * fitter->scale, SCALE_FOUND);
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

LANES void curve_fit_spread(const struct curve_fitter *fitter, enum spread spread, double *ret)
{
	const double floor = fitter->floor * fitter->floor;
	size_t i;

	if (spread != SPREAD_RELATIVE)
		for (i = 0; i < fitter->n; i++)
			ret[i] = fitter->level;
	else
		for (i = 0; i < fitter->n; i++)
			ret[i] = sqrt(fitter->value[i] * fitter->value[i] + floor);
}

/* Square roots of the weights. */
LANES static void curve_weigh(struct curve_fitter *fitter, enum spread spread, size_t n_params)
{
	double *spreads = fitter->target;
	double part;
	size_t i;

	curve_fit_spread(fitter, spread, spreads);
	for (i = 0; i < fitter->n; i++)
		fitter->residual[i] = (fitter->y[i] - fitter->value[i]) / spreads[i];
	fitter->scale = curve_scale_from(fitter->residual, fitter->n, n_params,
					 fitter->scale * fitter->scale, SCALE_SETTLED);
	part = 1 / fitter->scale;
	for (i = 0; i < fitter->n; i++) {
		double relative = fitter->residual[i] * part;

		fitter->weight[i] = sqrt(student_weight(relative * relative)) / spreads[i];
	}
}

static LANES_INLINE void curve_subtract(double *from, double times, const double *what, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		from[i] -= times * what[i];
}

/* Least squares with the present weights; returns the number of independent columns. */
LANES static unsigned curve_solve(struct curve_fitter *fitter, const struct curve_shape *shape,
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
		before = sqrt(lanes_dot(q, q, n));
		for (i = 0; i < j; i++) {
			r[i][j] = r[i][i] > 0 ? lanes_dot(fitter->q[i], q, n) : 0;
			curve_subtract(q, r[i][j], fitter->q[i], n);
		}
		after = sqrt(lanes_dot(q, q, n));
		if (!(after > COLUMN_LEAST * before))
			continue;
		r[j][j] = after;
		for (row = 0; row < n; row++)
			q[row] /= after;
		z[j] = lanes_dot(q, fitter->target, n);
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

LANES void curve_fit_evaluate(struct curve_fitter *fitter, const struct curve_shape *shape,
			      const double *coefficients)
{
	size_t i;
	unsigned j;

	memset(fitter->value, 0, fitter->n * sizeof(*fitter->value));
	for (j = 0; j < shape->n; j++) {
		const double coefficient = coefficients[j];
		const double *column = fitter->columns[shape->terms[j]];

		for (i = 0; i < fitter->n; i++)
			fitter->value[i] += coefficient * column[i];
	}
}

void curve_fit(struct curve_fitter *fitter, const struct curve_shape *shape, enum spread spread,
	       unsigned rounds, struct curve *ret)
{
	fitter->scale = 0;
	while (rounds--) {
		curve_weigh(fitter, spread, ret->n_params);
		ret->n_params = curve_solve(fitter, shape, ret->coefficients);
		curve_fit_evaluate(fitter, shape, ret->coefficients);
	}
}
