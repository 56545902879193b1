/*
 * Curves: the simplest description of the metric of some rows by at most one predictor.
 *
 * Never reported; they measure how well each side of a condition can be described: by BIC, with a
 * constant or proportional spread. Outliers count as a few deviations.
 */
#pragma once

#include "rank_regression.h"

enum {
	CURVE_TERMS = 6,
	CURVE_STRONGEST = 3, /* predictors to try */
};

enum spread {
	SPREAD_EVEN,
	SPREAD_RELATIVE,
	SPREAD_COUNT,
};

struct curve {
	const struct predictor *predictor; /* NULL: a constant */
	unsigned shape;                    /* private, with coefficients and otherwise */
	double coefficients[CURVE_TERMS];
	double otherwise; /* value where the predictor is absent */
	unsigned n_params;
};

struct curve_fitter;

/* Borrows @ranking; lives in @arena. */
struct curve_fitter *curve_fitter_create(struct arena *arena,
					 const struct rank_regression *ranking);

/* In units of data->y, at most 1. */
double curve_value(const struct curve *curve, size_t row);

/* The best curve of the rows on the side @which, which has some. */
struct curve curve_find(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
			enum spread spread);

/* BIC of the rows of both sides; less is better. */
double curve_deviance(struct curve_fitter *fitter, const uint8_t *sides,
		      const struct curve curves[2], enum spread spread);

enum { CURVE_PARTS = 3 };

/* Quantiles. */
struct curve_parts {
	unsigned n;
	double of[CURVE_PARTS];
};

/*
 * The quantiles @parts of distances of the rows on side @which, which has some, from @curve, over
 * the usual cost; in @ret.
 */
void curve_widths(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
		  const struct curve *curve, enum spread spread, const struct curve_parts *parts,
		  double *ret);

double curve_rows(const struct curve_fitter *fitter);
