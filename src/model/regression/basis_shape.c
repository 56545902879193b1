/*
 * Judges how the sum of terms behaves over the observed range: whether it is plausible as a cost,
 * and whether its growth is what its terms say.
 */
#include "basis.h"

#include <math.h>

/* A fitted cost may fall this far below 0, as a part of the largest: noise at the small end. */
#define BELOW_ZERO 0.02
/* Steps in which a cost is checked to rise, and the part of the largest that it may fall in one. */
enum { STEPS = 8 };
#define FALL 1e-9

/* Where growth begins: below 1, x log x is negative. */
static double low_end(const struct basis_feature *feature)
{
	return feature->whole || feature->max > 10 ? fmax(feature->min, fmin(1, feature->max))
						   : feature->min;
}

static double fitted(const struct basis *basis, basis_mask mask, const double *coefficients,
		     const double *x)
{
	double sum = 0;
	unsigned i;

	for (i = 0; i < basis->n_terms; i++)
		if (mask & basis_bit(i))
			sum += coefficients[i] * basis_value(basis, i, x);
	return sum;
}

/* A corner of the observed range: bit i of @corner selects the upper end of feature i. */
static void go_to_corner(const struct basis *basis, unsigned corner, double *x)
{
	unsigned i;

	for (i = 0; i < basis->n_features; i++)
		x[i] = corner & 1u << i ? basis->features[i].max : low_end(&basis->features[i]);
}

/* The smallest value over all corners. */
static double smallest(const struct basis *basis, basis_mask mask, const double *coefficients)
{
	double least = INFINITY;
	unsigned corner;

	for (corner = 0; corner < 1u << basis->n_features; corner++) {
		double x[BASIS_FEATURES];

		go_to_corner(basis, corner, x);
		least = fmin(least, fitted(basis, mask, coefficients, x));
	}
	return least;
}

/* Does the cost rise with feature @i, the others being at @x? Steps are even in the logarithm. */
static bool rises_at(const struct basis *basis, basis_mask mask, unsigned i,
		     const double *coefficients, double *x)
{
	const double low = low_end(&basis->features[i]);
	const double high = basis->features[i].max;
	const double from = low > 0 ? low : high / 1000;
	const double ratio = pow(high / from, 1.0 / STEPS);
	double next = from;
	double before, largest;
	unsigned step;

	x[i] = high;
	largest = fabs(fitted(basis, mask, coefficients, x));
	x[i] = low;
	before = fitted(basis, mask, coefficients, x);
	for (step = 0; step <= STEPS; step++, next *= ratio) {
		double now;

		x[i] = step < STEPS ? next : high;
		now = fitted(basis, mask, coefficients, x);
		if (!(now >= before - FALL * largest))
			return false;
		before = now;
	}
	return true;
}

/* Does it rise at all corners of the other features? */
static bool rises(const struct basis *basis, basis_mask mask, unsigned i,
		  const double *coefficients)
{
	unsigned corner;

	for (corner = 0; corner < 1u << basis->n_features; corner++) {
		double x[BASIS_FEATURES];

		if (corner & 1u << i)
			continue;
		go_to_corner(basis, corner, x);
		if (!rises_at(basis, mask, i, coefficients, x))
			return false;
	}
	return true;
}

/* Is the fastest of feature @i's own terms positive? */
static bool leads_upward(const struct basis *basis, basis_mask mask, unsigned i,
			 const double *coefficients)
{
	double leading = 0;
	unsigned j;

	for (j = 0; j < basis->n_terms; j++)
		if ((mask & basis_bit(j)) && basis_term_is_own(&basis->terms[j], i))
			leading = coefficients[j];
	return leading >= 0;
}

/* Has feature @i only a straight line? */
static bool is_line(const struct basis *basis, basis_mask mask, unsigned i)
{
	unsigned j;

	for (j = 0; j < basis->n_terms; j++)
		if ((mask & basis_bit(j)) && basis_term_has(&basis->terms[j], i) &&
		    (basis->terms[j].n > 1 || basis->terms[j].factors[0].growth != GROWTH_LINEAR))
			return false;
	return true;
}

bool basis_believable(const struct basis *basis, basis_mask mask, const double *coefficients,
		      bool negative)
{
	unsigned i;

	if (!negative && smallest(basis, mask, coefficients) < -BELOW_ZERO)
		return false;
	for (i = 0; i < basis->n_features; i++)
		if (!is_line(basis, mask, i) && !(leads_upward(basis, mask, i, coefficients) &&
						  rises(basis, mask, i, coefficients)))
			return false;
	return true;
}

/* A smaller rise of the cost per element, as a part of that of a logarithm, is negligible. */
#define NEARLY 0.3

/* The cost of feature @i's own terms per element. */
static double per_element(const struct basis *basis, basis_mask mask, unsigned i,
			  const double *coefficients, double x)
{
	double at[BASIS_FEATURES];
	double sum = 0;
	unsigned j;

	at[i] = x;
	for (j = 0; j < basis->n_terms; j++)
		if ((mask & basis_bit(j)) && basis_term_is_own(&basis->terms[j], i))
			sum += coefficients[j] * basis_value(basis, j, at);
	return sum / x;
}

/* The cost per element at the maximum over that at @low; 1: unknown. */
static double shape_rise(const struct basis *basis, basis_mask mask, unsigned i,
			 const double *coefficients, double low)
{
	double before = per_element(basis, mask, i, coefficients, low);

	return before > 0
		       ? per_element(basis, mask, i, coefficients, basis->features[i].max) / before
		       : 1;
}

/* Has feature @i a term of its own with @growth, or faster? */
static bool has_own(const struct basis *basis, basis_mask mask, unsigned i, enum growth growth,
		    bool or_faster)
{
	unsigned j;

	for (j = 0; j < basis->n_terms; j++)
		if ((mask & basis_bit(j)) && basis_term_is_own(&basis->terms[j], i) &&
		    (basis->terms[j].factors[0].growth == growth ||
		     (or_faster && basis->terms[j].factors[0].growth > growth)))
			return true;
	return false;
}

bool basis_drifts(const struct basis *basis, basis_mask mask, const double *coefficients,
		  double times)
{
	unsigned i;

	for (i = 0; i < basis->n_features; i++) {
		double max = basis->features[i].max;
		double low = fmax(max / 10, 2);
		double before;

		if (!has_own(basis, mask, i, GROWTH_QUADRATIC, true) || max <= low)
			continue;
		before = per_element(basis, mask, i, coefficients, low);
		if (before > 0 && per_element(basis, mask, i, coefficients, max) <
					  before * times * log(max) / log(low))
			return true;
	}
	return false;
}

bool basis_is_nearly_linear(const struct basis *basis, basis_mask mask, const double *coefficients)
{
	unsigned i;

	for (i = 0; i < basis->n_features; i++) {
		double max = basis->features[i].max;
		double low = fmax(max / 10, 2);

		if (has_own(basis, mask, i, GROWTH_LINEAR, false) &&
		    has_own(basis, mask, i, GROWTH_NLOGN, false) && max > low &&
		    shape_rise(basis, mask, i, coefficients, low) - 1 <
			    NEARLY * (log(max) / log(low) - 1))
			return true;
	}
	return false;
}

bool basis_falls(const struct basis *basis, basis_mask mask, const double *coefficients)
{
	unsigned i;

	for (i = 0; i < basis->n_terms; i++)
		if ((mask & basis_bit(i)) && basis->terms[i].n == 1 && coefficients[i] < 0 &&
		    is_line(basis, mask, basis->terms[i].factors[0].feature))
			return true;
	return false;
}
