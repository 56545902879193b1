/*
 * Terms, their scaling, and which sums of them can be a cost. Choosing among those is
 * candidate.c's matter.
 */
#include "model/basis.h"

#include <math.h>

/*
 * A fitted cost may fall this far below 0, in parts of the largest: noise at the small end does
 * that.
 */
#define BELOW_ZERO 0.02

static unsigned bit(enum basis_term term)
{
	return 1u << term;
}

static unsigned feature_of(enum basis_term term)
{
	return term >= TERM_LINEAR_B;
}

static enum basis_term kind_of(enum basis_term term)
{
	return feature_of(term) && term != TERM_PRODUCT ? term - TERM_STRIDE : term;
}

static unsigned terms_of(unsigned mask, unsigned feature)
{
	return feature ? mask >> TERM_STRIDE & 14u : mask & 14u;
}

void basis_init(struct basis *basis)
{
	unsigned i;

	basis->terms = bit(TERM_CONSTANT);
	for (i = 0; i < basis->n_features; i++) {
		struct basis_feature *feature = &basis->features[i];
		unsigned terms = bit(TERM_LINEAR_A);

		feature->scale = fmax(fabs(feature->min), fabs(feature->max));
		feature->log_scale = fmax(fabs(log(feature->scale)), 1);
		feature->linear_only |= feature->min < 0;
		if (!feature->linear_only)
			terms |= bit(TERM_NLOGN_A) | bit(TERM_SQUARE_A);
		basis->terms |= terms << i * TERM_STRIDE;
	}
	if (basis->n_features == 2 && basis->features[0].min >= 0 && basis->features[1].min >= 0)
		basis->terms |= bit(TERM_PRODUCT);
}

double basis_value(const struct basis *basis, enum basis_term term, const double *x)
{
	unsigned i = feature_of(term);
	double u;

	if (term == TERM_CONSTANT)
		return 1;
	if (term == TERM_PRODUCT)
		return x[0] / basis->features[0].scale * (x[1] / basis->features[1].scale);
	u = x[i] / basis->features[i].scale;
	if (kind_of(term) == TERM_SQUARE_A)
		return u * u;
	if (kind_of(term) == TERM_NLOGN_A)
		return x[i] > 0 ? u * (log(x[i]) / basis->features[i].log_scale) : 0;
	return u;
}

bool basis_is_model(const struct basis *basis, unsigned mask)
{
	unsigned curved = bit(TERM_NLOGN_A) | bit(TERM_SQUARE_A);
	unsigned i;

	if ((mask & ~basis->terms) || !mask)
		return false;
	for (i = 0; i < basis->n_features; i++) {
		unsigned terms = terms_of(mask, i);

		if (!terms && !(mask & bit(TERM_PRODUCT)))
			return false;
		if ((terms & curved) == curved)
			return false;
		if ((terms & curved) && (mask & bit(TERM_PRODUCT)))
			return false;
	}
	return true;
}

unsigned basis_next(const struct basis *basis, unsigned mask)
{
	for (mask++; mask < 1u << TERM_COUNT; mask++)
		if (basis_is_model(basis, mask))
			return mask;
	return 0;
}

enum growth basis_growth(unsigned mask)
{
	unsigned either = terms_of(mask, 0) | terms_of(mask, 1);

	if (either & bit(TERM_SQUARE_A))
		return GROWTH_QUADRATIC;
	if (either & bit(TERM_NLOGN_A))
		return GROWTH_NLOGN;
	return either || (mask & bit(TERM_PRODUCT)) ? GROWTH_LINEAR : GROWTH_CONSTANT;
}

/* The slope of feature @i's own terms at its value @x, by the scaled value. */
static double slope(const struct basis *basis, unsigned i, const double *coefficients, double x)
{
	const struct basis_feature *feature = &basis->features[i];
	const double *c = coefficients + i * TERM_STRIDE;
	double rate = c[TERM_LINEAR_A] + 2 * c[TERM_SQUARE_A] * (x / feature->scale);

	if (c[TERM_NLOGN_A] != 0)
		rate += c[TERM_NLOGN_A] * (log(fmax(x, 1e-300)) + 1) / feature->log_scale;
	return rate;
}

/* Where growth begins: below one element, x log x dips under 0. */
static double low_end(const struct basis_feature *feature)
{
	return feature->whole || feature->max > 10 ? fmax(feature->min, fmin(1, feature->max))
						   : feature->min;
}

/* Is the fastest of feature @i's own terms positive, so that growth is what it says? */
static bool leads_upward(unsigned i, const double *coefficients)
{
	const double *c = coefficients + i * TERM_STRIDE;

	if (c[TERM_SQUARE_A] != 0)
		return c[TERM_SQUARE_A] > 0;
	return c[TERM_NLOGN_A] >= 0;
}

/*
 * Does the cost rise with feature @i, whatever the other one is? Slopes are monotone, so the ends
 * tell.
 */
static bool rises(const struct basis *basis, unsigned i, const double *coefficients)
{
	const struct basis_feature *feature = &basis->features[i];
	const struct basis_feature *other = &basis->features[!i];
	double product = basis->n_features == 2 ? coefficients[TERM_PRODUCT] : 0;
	double least = fmin(slope(basis, i, coefficients, low_end(feature)),
			    slope(basis, i, coefficients, feature->max));

	if (product == 0)
		return least >= 0;
	return least + fmin(product, product * (other->min / other->scale)) >= 0;
}

static double fitted(const struct basis *basis, unsigned mask, const double *coefficients,
		     const double *x)
{
	double sum = 0;
	enum basis_term term;

	for (term = 0; term < TERM_COUNT; term++)
		if (mask & bit(term))
			sum += coefficients[term] * basis_value(basis, term, x);
	return sum;
}

/* A rise of the cost per element below this part of a logarithm's is nearly none. */
#define NEARLY 0.3

/* The smallest value over the corners of the observed range. */
static double smallest(const struct basis *basis, unsigned mask, const double *coefficients)
{
	double least = INFINITY;
	unsigned corner;

	for (corner = 0; corner < 1u << basis->n_features; corner++) {
		double x[2] = {0, 0};
		unsigned i;

		for (i = 0; i < basis->n_features; i++)
			x[i] = corner & 1u << i ? basis->features[i].max
						: low_end(&basis->features[i]);
		least = fmin(least, fitted(basis, mask, coefficients, x));
	}
	return least;
}

/* The cost of feature @i's own terms per element. */
static double per_element(const struct basis *basis, unsigned mask, unsigned i,
			  const double *coefficients, double x)
{
	double at[2] = {x, x};
	unsigned own = mask & 14u << i * TERM_STRIDE;

	return fitted(basis, own, coefficients, at) / x;
}

bool basis_drifts(const struct basis *basis, unsigned mask, const double *coefficients,
		  double times)
{
	unsigned i;

	for (i = 0; i < basis->n_features; i++) {
		double max = basis->features[i].max;
		double low = fmax(max / 10, 2);
		double before;

		if (!(mask & 1u << (TERM_SQUARE_A + i * TERM_STRIDE)) || max <= low)
			continue;
		before = per_element(basis, mask, i, coefficients, low);
		if (before > 0 && per_element(basis, mask, i, coefficients, max) <
					  before * times * log(max) / log(low))
			return true;
	}
	return false;
}

/* The cost per element at the end of the last decade, as a multiple of that at its start; 1: unknown. */
static double rise(const struct basis *basis, unsigned mask, unsigned i, const double *coefficients,
		   double low)
{
	double before = per_element(basis, mask, i, coefficients, low);

	return before > 0
		       ? per_element(basis, mask, i, coefficients, basis->features[i].max) / before
		       : 1;
}

bool basis_is_nearly_linear(const struct basis *basis, unsigned mask, const double *coefficients)
{
	unsigned i;

	for (i = 0; i < basis->n_features; i++) {
		double max = basis->features[i].max;
		double low = fmax(max / 10, 2);
		unsigned both =
			bit(TERM_LINEAR_A + i * TERM_STRIDE) | bit(TERM_NLOGN_A + i * TERM_STRIDE);

		if ((mask & both) == both && max > low &&
		    rise(basis, mask, i, coefficients, low) - 1 <
			    NEARLY * (log(max) / log(low) - 1))
			return true;
	}
	return false;
}

bool basis_falls(unsigned mask, const double *coefficients)
{
	return ((mask & bit(TERM_LINEAR_A)) && terms_of(mask, 0) == 2 &&
		coefficients[TERM_LINEAR_A] < 0) ||
	       ((mask & bit(TERM_LINEAR_B)) && terms_of(mask, 1) == 2 &&
		coefficients[TERM_LINEAR_B] < 0);
}

bool basis_believable(const struct basis *basis, unsigned mask, const double *coefficients,
		      bool negative)
{
	unsigned i;

	for (i = 0; i < basis->n_features; i++) {
		bool line = terms_of(mask, i) == bit(TERM_LINEAR_A) && !(mask & bit(TERM_PRODUCT));

		if (!line && !(leads_upward(i, coefficients) && rises(basis, i, coefficients)))
			return false;
	}
	return negative || smallest(basis, mask, coefficients) >= -BELOW_ZERO;
}

bool basis_coefficient(const struct basis *basis, enum basis_term term, double scaled, double unit,
		       double *ret)
{
	unsigned i = feature_of(term);
	double c = scaled * unit;

	if (term == TERM_PRODUCT) {
		c = c / basis->features[0].scale / basis->features[1].scale;
	} else if (term != TERM_CONSTANT) {
		c /= basis->features[i].scale;
		if (kind_of(term) == TERM_SQUARE_A)
			c /= basis->features[i].scale;
		if (kind_of(term) == TERM_NLOGN_A)
			c /= basis->features[i].log_scale;
	}
	*ret = c;
	return isfinite(c) && (fabs(c) >= 1e-300 || scaled == 0);
}

void basis_factors(enum basis_term term, struct term *ret)
{
	ret->n_factors = 0;
	if (term == TERM_CONSTANT)
		return;
	if (term == TERM_PRODUCT) {
		ret->factors[0] = (struct factor){.feature = 0, .power = 1};
		ret->factors[1] = (struct factor){.feature = 1, .power = 1};
		ret->n_factors = 2;
		return;
	}
	ret->factors[0] = (struct factor){
		.feature = feature_of(term),
		.power = kind_of(term) == TERM_SQUARE_A ? 2 : 1,
		.log = kind_of(term) == TERM_NLOGN_A,
	};
	ret->n_factors = 1;
}
