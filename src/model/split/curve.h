/*
 * Curves: the simplest description of some rows' metric by at most one predictor.
 *
 * They are not told to people, but say how well each side of a condition can be described: by BIC,
 * of residuals over a spread that is even or in proportion to the curve. Far calls count as a few
 * deviations.
 */
#pragma once

#include "rank_regression.h"

enum {
	CURVE_TERMS = 6,
	CURVE_STRONGEST = 3, /* predictors that are tried on some rows */
};

enum spread {
	SPREAD_EVEN,
	SPREAD_RELATIVE,
	SPREAD_COUNT,
};

struct curve {
	const struct predictor *predictor; /* NULL: a constant */
	unsigned shape;                    /* private, as are the next two */
	double coefficients[CURVE_TERMS];
	double otherwise; /* the value where the predictor is absent */
	unsigned n_params;
};

struct curve_fitter;

/* @ranking is borrowed; the memory is @arena's. */
struct curve_fitter *curve_fitter_create(struct arena *arena,
					 const struct rank_regression *ranking);

/* Values of the metric are data->y, which is at most 1. */
double curve_value(const struct curve *curve, size_t row);

/* The best curve of the rows on the side @which, which has rows. */
struct curve curve_find(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
			enum spread spread);

/* How badly curves describe the rows, of both sides in common; less is better. */
double curve_deviance(struct curve_fitter *fitter, const uint8_t *sides,
		      const struct curve curves[2], enum spread spread);

/*
 * How far the rows on the side @which, which has rows, are from the curve, for @part of them, in
 * parts of the usual cost.
 */
double curve_width(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
		   const struct curve *curve, enum spread spread, double part);

/* The number of rows that counts, of those that are there. */
double curve_rows(const struct curve_fitter *fitter);

/*
 * The part of the deviance, on the present scale of residuals, that a row has with @value; after
 * curve_deviance().
 */
double curve_loss(const struct curve_fitter *fitter, enum spread spread, size_t row, double value);
