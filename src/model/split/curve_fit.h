/*
 * Fitting one curve: iterated weighted least squares, which far calls hardly move.
 *
 * The fitter has the rows of one side in the order of a predictor; what it is fitted by, its
 * columns and values, are curve.c's to fill in.
 */
#pragma once

#include "core/growth.h"
#include "curve.h"

struct curve_shape {
	unsigned n;
	enum growth terms[CURVE_TERMS];
	bool rooted; /* for positive predictors only */
};

struct curve_fitter {
	const struct rank_regression *ranking;
	size_t n_choice;
	double level; /* the median of the metric, or its mean where that is 0 */
	double floor; /* the least relative spread */
	double scale; /* of the last deviance */
	size_t n;     /* rows of the present fit, in the order of its predictor */
	uint16_t *rows;
	double *y, *value, *weight, *target, *residual;
	double *columns[GROWTH_COUNT];
	double *q[CURVE_TERMS];
};

/* Of a row whose curve has @value, which is over the largest cost. */
double curve_spread(const struct curve_fitter *fitter, enum spread spread, double value);

/* Begin with the middle of the neighbours' costs, in which a far call counts little. */
void curve_fit_start(struct curve_fitter *fitter);

/*
 * Improve the fitter's values, @rounds times, by a curve of @shape; its coefficients and the number
 * of those that count are set.
 */
void curve_fit(struct curve_fitter *fitter, const struct curve_shape *shape, enum spread spread,
	       unsigned rounds, struct curve *ret);

/* Set the values to those of a curve. */
void curve_fit_evaluate(struct curve_fitter *fitter, const struct curve_shape *shape,
			const double *coefficients);

/*
 * The deviation of @n residuals, each counting as at most three of it. It is the least there is if
 * less than a ninth of them differ from 0.
 */
double curve_fit_scale(const double *residuals, size_t n, size_t n_params);
