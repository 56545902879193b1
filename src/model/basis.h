/*
 * The terms that a model may be made of, for one or two predictors.
 *
 * Each predictor a gives a, a log a and a^2; two give their product too; and there is the
 * constant. Columns are scaled to about unit size, so that values from 1e-300 to 1e300 do no harm;
 * coefficients are scaled back at the end. x log x is 0 at 0, and not defined below.
 */
#ifndef FATHOM_MODEL_BASIS_H
#define FATHOM_MODEL_BASIS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/annotation.h"
#include "model/lsq.h"

enum basis_term {
	TERM_CONSTANT,
	TERM_LINEAR_A,
	TERM_NLOGN_A,
	TERM_SQUARE_A,
	TERM_LINEAR_B,
	TERM_NLOGN_B,
	TERM_SQUARE_B,
	TERM_PRODUCT,
	TERM_COUNT,
};

_Static_assert((int)TERM_COUNT <= (int)LSQ_COLUMNS, "a design holds every term");

enum { TERM_STRIDE = TERM_LINEAR_B - TERM_LINEAR_A };

struct basis_feature {
	double min, max;  /* observed */
	bool whole;       /* an integer: the smallest size that matters for growth is 1 */
	bool linear_only; /* too few values, or negative ones: nothing but a line can be told */
	double scale;     /* private: largest absolute value */
	double log_scale; /* private */
};

struct basis {
	unsigned n_features; /* 0 to 2 */
	struct basis_feature features[2];
	unsigned terms; /* mask of those that are defined */
};

/* Fill in @basis from its features' min, max, whole and linear_only. */
void basis_init(struct basis *basis);

/* The value of one term at the features' values @x. */
double basis_value(const struct basis *basis, enum basis_term term, const double *x);

/*
 * Is a subset of terms a model? Every feature must be used; n log n and the square of one feature
 * are not told apart in one sum; a product goes with straight lines only.
 */
bool basis_is_model(const struct basis *basis, unsigned mask);

/* The next subset of terms that makes a model, after @mask (0: the first); 0 at the end. */
unsigned basis_next(const struct basis *basis, unsigned mask);

/* The fastest growth of a subset, and the number of products in it. */
enum growth basis_growth(unsigned mask);

/*
 * Can a cost behave so? Over the observed range it must not fall below 0 (unless @negative metrics
 * are seen) nor fall while it is said to grow faster than linearly.
 */
bool basis_believable(const struct basis *basis, unsigned mask, const double *coefficients,
		      bool negative);

/*
 * Is the growth of a sum with a square so slow that over the last decade of a feature's range the
 * cost per element rises less than @times what log n does?
 */
bool basis_drifts(const struct basis *basis, unsigned mask, const double *coefficients,
		  double times);

/*
 * Does a sum of x and x log x rise so little faster than x, over the last decade of its range, that a
 * programmer would call it linear?
 */
bool basis_is_nearly_linear(const struct basis *basis, unsigned mask, const double *coefficients);

/* Does a straight line in it fall? */
bool basis_falls(unsigned mask, const double *coefficients);

/*
 * One term in plain units: the column's coefficient @scaled times @unit. False: it is too small or
 * too large for a number.
 */
bool basis_coefficient(const struct basis *basis, enum basis_term term, double scaled, double unit,
		       double *ret);

/* The factors of a term; features are 0 and 1. */
void basis_factors(enum basis_term term, struct term *ret);

#endif
