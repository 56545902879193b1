/*
 * One mode or two: the log likelihood of numbers as two normal distributions against one that is
 * skewed and has heavy tails.
 *
 * A few numbers far from the others are a group of their own, or a tail: dips of the density cannot
 * tell, as the gap is empty either way. So two normal distributions compete with the best of a
 * family with one mode: Student's t of a few degrees of freedom after a logarithm that removes some
 * skewness on either side (it includes Cauchy, normal and lognormal distributions, and approximates
 * exponential, gamma and extreme value ones). Source: Box and Cox, An analysis of transformations,
 * JRSS B 26 (1964), for likelihoods of transformed data.
 */
#pragma once

#include <stddef.h>

/*
 * Log likelihood of two normals less that of the family, for the @n rising, not all equal numbers
 * @x; the first normal starts from the first @below. At most UNIMODAL_ROWS numbers count: no family
 * is exact.
 */
double unimodal_against_two(const double *x, size_t n, size_t below);

/*
 * Log likelihood of the family for the @n rising, not all equal numbers @x; above UNIMODAL_ROWS,
 * extrapolated from as many.
 */
double unimodal_log_likelihood(const double *x, size_t n);

enum { UNIMODAL_ROWS = 300 };
