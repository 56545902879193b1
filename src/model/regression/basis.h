/*
 * The terms that a model of a few predictors may have.
 *
 * A term is a product of up to four factors; a factor is a growth of one feature (core/growth.h).
 * The first term of each basis is the constant. A model is a set of terms, a mask. Columns are
 * scaled to about unit size, so that values from 1e-300 to 1e300 do no harm; coefficients are
 * scaled back at the end. At 0, x log x is 0; so is the logarithm of a whole number.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/annotation/annotation.h"
#include "lsq.h"

enum {
	BASIS_FEATURES = 4,
	BASIS_FACTORS = 4,
	BASIS_TERMS = LSQ_COLUMNS,
	BASIS_MODELS = 1024, /* the most that basis_models() gives */
};

typedef uint64_t basis_mask;

_Static_assert((int)BASIS_TERMS <= 64, "a mask holds every term");

struct basis_feature {
	double min, max;  /* observed */
	bool whole;       /* an integer: growth begins at 1 */
	bool linear_only; /* too few values, or negative ones, for more than a line */
	double scale;     /* private: largest absolute value */
	double log_scale; /* private */
	double power;     /* of GROWTH_POWER */
	double base;      /* of GROWTH_EXPONENTIAL */
};

struct basis_factor {
	unsigned feature;
	enum growth growth;
};

struct basis_term {
	unsigned n; /* 0: the constant */
	struct basis_factor factors[BASIS_FACTORS];
};

struct basis {
	unsigned n_features;
	struct basis_feature features[BASIS_FEATURES];
	unsigned n_terms;
	struct basis_term terms[BASIS_TERMS]; /* slower growth first, products last */
	unsigned n_new;   /* the last one or two features: their terms are to be chosen */
	unsigned n_fixed; /* leading terms, of the extended basis, that each model has */
};

static inline basis_mask basis_bit(unsigned term)
{
	return (basis_mask)1 << term;
}

bool basis_term_has(const struct basis_term *term, unsigned feature);

/* Has it no other? */
static inline bool basis_term_is_own(const struct basis_term *term, unsigned feature)
{
	return term->n == 1 && term->factors[0].feature == feature;
}

/* @distinct is counted up to DISTINCT_MAX. */
struct basis_feature basis_feature(enum feature_type type, double min, double max, size_t distinct);

/*
 * Fill in @basis from its features' min, max, whole and linear_only, for at most two features.
 * Without @products, only straight lines are multiplied.
 */
void basis_init(struct basis *basis, bool products);

/*
 * The basis of one feature, whose power or base is set: a constant and its @growth, GROWTH_POWER or
 * GROWTH_EXPONENTIAL.
 */
void basis_init_free(struct basis *basis, enum growth growth);

/*
 * Extend the model @mask of @basis by @n features. One adds its own terms and their products with
 * the factors of others, and with their products; two add what two have by themselves. @ret's first
 * terms are those of @mask, in order.
 */
void basis_extend(const struct basis *basis, basis_mask mask, const struct basis_feature *features,
		  unsigned n, struct basis *ret);

/* The value of @term at the features @x ([n_features]). */
double basis_value(const struct basis *basis, unsigned term, const double *x);

/* Does it use each feature? */
bool basis_is_model(const struct basis *basis, basis_mask mask);

/*
 * The models to try, in @ret ([BASIS_MODELS]): of each feature one growth, or a line and a faster
 * one; or a product with lower terms; each with a constant and without. All keep the fixed terms,
 * but products of more than two, which may explain what these did. Returns their number.
 */
size_t basis_models(const struct basis *basis, basis_mask *ret);

/* The fastest growth of a model in any feature; its number of products. */
enum growth basis_growth(const struct basis *basis, basis_mask mask);
unsigned basis_products(const struct basis *basis, basis_mask mask);

/* Does no other term of the model grow at least as fast in the same features? */
bool basis_leads(const struct basis *basis, basis_mask mask, unsigned term);

/*
 * Is it plausible as a cost? Over the observed range it must neither fall below 0 (unless
 * @negative) nor fall with a feature, unless that has only a straight line.
 */
bool basis_believable(const struct basis *basis, basis_mask mask, const double *coefficients,
		      bool negative);

/*
 * Does a sum with a square or cube grow so slowly that, over the last decade of a feature, the cost
 * per element rises less than @times as much as log n?
 */
bool basis_drifts(const struct basis *basis, basis_mask mask, const double *coefficients,
		  double times);

/* Is a sum of x and x log x close to linear over the last decade of x? */
bool basis_is_nearly_linear(const struct basis *basis, basis_mask mask, const double *coefficients);

/* Has a feature only a straight line, which falls? */
bool basis_falls(const struct basis *basis, basis_mask mask, const double *coefficients);

/*
 * The coefficient in plain units of a term with @scaled times @unit. False: it overflows or
 * underflows.
 */
bool basis_coefficient(const struct basis *basis, unsigned term, double scaled, double unit,
		       double *ret);

/*
 * Features are numbered as in the basis; an exponential factor has its feature there, and no
 * arguments.
 */
void basis_factors(const struct basis *basis, unsigned term, struct term *ret);
