/*
 * Fits one curve by iteratively reweighted least squares that resists outliers.
 *
 * The fitter has the rows of one side in the order of a predictor; curve.c fills in columns and
 * values.
 */
#pragma once

#include "core/growth.h"
#include "curve.h"

struct curve_shape {
	unsigned n;
	enum growth terms[CURVE_TERMS];
	bool rooted; /* for positive predictors only */
};

/* The strongest predictors of a side, which all spreads ask for. */
struct curve_ranked {
	uint8_t *sides; /* [n_choice]; NULL: none yet */
	size_t n;
	size_t strongest[CURVE_STRONGEST];
};

struct curve_fitter {
	struct arena *arena;
	const struct rank_regression *ranking;
	struct curve_ranked ranked[2]; /* of the first and the second side */
	size_t n_choice;
	double level;  /* the median cost, or the mean if that is 0 */
	double floor;  /* minimum relative spread */
	double scale;  /* of the last deviance */
	size_t n_side; /* rows of the present side */
	size_t n;      /* rows of the present fit, in predictor order */
	uint16_t *rows;
	double *y, *value, *weight, *target, *residual;
	double *bent; /* [n_choice] the metric on a scale that is a logarithm above the floor */
	double *x, *log_x; /* of the predictor, scaled */
	double **logs;     /* [n_predictors] of all choice rows, scaled; NULL: not yet asked for */
	double *columns[GROWTH_FIXED];
	double *q[CURVE_TERMS];
};

/* The spread of a row at the curve @value, over the largest cost. */
double curve_spread(const struct curve_fitter *fitter, enum spread spread, double value);

/* The same of all rows of the fit, at their present values. */
void curve_fit_spread(const struct curve_fitter *fitter, enum spread spread, double *ret);

/* Set `bent`, of the metric @y. */
void curve_fit_bend(struct curve_fitter *fitter, const double *y);

/* Start from the outlier-resistant mean of neighbouring costs. */
void curve_fit_start(struct curve_fitter *fitter);

/* Iterate @rounds times with a curve of @shape; sets coefficients and n_params of @ret. */
void curve_fit(struct curve_fitter *fitter, const struct curve_shape *shape, enum spread spread,
	       unsigned rounds, struct curve *ret);

void curve_fit_evaluate(struct curve_fitter *fitter, const struct curve_shape *shape,
			const double *coefficients);

/*
 * The deviation of @n residuals, each clipped at three of it; minimal if less than a ninth differ
 * from 0.
 */
double curve_fit_scale(const double *residuals, size_t n, size_t n_params);

/* Nearly the same of the present residuals, sooner, from the scale of the last fit on. */
double curve_fit_rescale(const struct curve_fitter *fitter, size_t n_params);
