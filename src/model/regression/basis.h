/*
 * The terms that a model may be made of, for a few predictors.
 *
 * A term is a product of at most two factors; a factor is a growth of one feature (core/growth.h).
 * The first term of every basis is the constant. A model is a set of terms, a mask. Columns are
 * scaled to about unit size, so that values from 1e-300 to 1e300 do no harm; coefficients are
 * scaled back at the end. Where a feature is 0, x log x is 0; a logarithm needs a feature that is
 * never 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/annotation/annotation.h"
#include "lsq.h"

enum {
	BASIS_FEATURES = 4,
	BASIS_TERMS = LSQ_COLUMNS,
	BASIS_MODELS = 1024, /* at least as many as basis_models() gives */
};

typedef uint64_t basis_mask;

_Static_assert((int)BASIS_TERMS <= 64, "a mask holds every term");

struct basis_feature {
	double min, max;  /* observed */
	bool whole;       /* an integer: the smallest size that matters for growth is 1 */
	bool linear_only; /* too few values, or negative ones: nothing but a line can be told */
	double scale;     /* private: largest absolute value */
	double log_scale; /* private */
};

struct basis_factor {
	unsigned feature;
	enum growth growth;
};

struct basis_term {
	unsigned n; /* 0: the constant */
	struct basis_factor factors[2];
};

struct basis {
	unsigned n_features;
	struct basis_feature features[BASIS_FEATURES];
	unsigned n_terms;
	struct basis_term terms[BASIS_TERMS]; /* slower growth first, products last */
	unsigned n_new; /* features whose terms are to be chosen: the last one or two */
	unsigned
		/* the first so many are in every model: those of the basis that was extended */
		n_fixed;
};

bool basis_term_has(const struct basis_term *term, unsigned feature);

/* A feature of @type with @distinct values, counted up to DISTINCT_MAX. */
struct basis_feature basis_feature(enum feature_type type, double min, double max, size_t distinct);

/*
 * Fill in @basis from its features' min, max, whole and linear_only: for none, one, or two
 * features. Without @products of all growths there are those of straight lines only.
 */
void basis_init(struct basis *basis, bool products);

/*
 * The model @mask of @basis, with @n features more, one or two. One may add terms of its own and
 * products of it with the others' factors; two add what two have without others. @ret's first terms
 * are those of @mask, in their order.
 */
void basis_extend(const struct basis *basis, basis_mask mask, const struct basis_feature *features,
		  unsigned n, struct basis *ret);

/* The value of one term at the features' values @x. */
double basis_value(const struct basis *basis, unsigned term, const double *x);

/* Is every feature used? */
bool basis_is_model(const struct basis *basis, basis_mask mask);

/*
 * The models that are worth a try, in @ret ([BASIS_MODELS]): of each feature one growth, or a line
 * and a faster one; or a product with lower terms; with a constant or without. Returns how many.
 */
size_t basis_models(const struct basis *basis, basis_mask *ret);

/* The fastest growth of a model in any one feature; the number of products in it. */
enum growth basis_growth(const struct basis *basis, basis_mask mask);
unsigned basis_products(const struct basis *basis, basis_mask mask);

/* Does no other term of the model grow faster than @term in the same features? */
bool basis_leads(const struct basis *basis, basis_mask mask, unsigned term);

/*
 * Can a cost behave so? Over the observed range it must not fall below 0 (unless @negative metrics
 * are seen) nor fall with a feature, unless it is a straight line.
 */
bool basis_believable(const struct basis *basis, basis_mask mask, const double *coefficients,
		      bool negative);

/*
 * Is the growth of a sum with a square or cube so slow that over the last decade of a feature's
 * range the cost per element rises less than @times what log n does?
 */
bool basis_drifts(const struct basis *basis, basis_mask mask, const double *coefficients,
		  double times);

/*
 * Does a sum of x and x log x rise so little faster than x, over the last decade of its range, that
 * a programmer would call it linear?
 */
bool basis_is_nearly_linear(const struct basis *basis, basis_mask mask, const double *coefficients);

/* Does a straight line in it fall? */
bool basis_falls(const struct basis *basis, basis_mask mask, const double *coefficients);

/*
 * One term in plain units: the column's coefficient @scaled times @unit. False: it is too small or
 * too large for a number.
 */
bool basis_coefficient(const struct basis *basis, unsigned term, double scaled, double unit,
		       double *ret);

/* The factors of a term; features are numbered as in the basis. */
void basis_factors(const struct basis *basis, unsigned term, struct term *ret);
