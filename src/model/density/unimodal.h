/*
 * One hump or two: how much likelier numbers are as two normal distributions than as one that is
 * skewed and has heavy tails.
 *
 * A few numbers far from the others are a group of their own, or the tail of the others: no test of
 * the density's dips alone can say, as what lies between is empty either way. So two normal
 * distributions compete with the best of a family of distributions with one hump: Student's t of a
 * few degrees of freedom, after a logarithm that takes more or less of the skewness away, from one
 * side or the other (it has Cauchy, normal and lognormal distributions as members, and comes close
 * to exponential, gamma and extreme value distributions). Source: Box and Cox, An analysis of
 * transformations, JRSS B 26 (1964), for likelihoods of transformed data.
 */
#pragma once

#include <stddef.h>

/*
 * The log likelihood of two normals less that of the family, for the @n rising numbers @x, which
 * differ; the @below first of them are the beginning of the first normal. At most UNIMODAL_ROWS
 * numbers count: no family is exact.
 */
double unimodal_against_two(const double *x, size_t n, size_t below);

/*
 * The log likelihood of the family for the @n rising numbers @x, which differ; of more than
 * UNIMODAL_ROWS that of so many, and of the others as much.
 */
double unimodal_log_likelihood(const double *x, size_t n);

enum { UNIMODAL_ROWS = 300 };
