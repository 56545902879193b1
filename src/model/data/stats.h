/* Statistics of a series of numbers in call order, whose neighbours may be correlated. */
#pragma once

#include <stddef.h>

double stats_mean(const double *values, size_t n); /* 0 if @n is 0, as the median */
double stats_median(const double *values, size_t n);

/* The @share (0 to 1) quantile, interpolated; NAN if @n is 0. */
double stats_quantile(const double *values, size_t n, double share);

/* Mean squared, and median, distance from @around. */
double stats_mean_square(const double *values, size_t n, double around);
double stats_median_distance(const double *values, size_t n, double around);

/*
 * Standard error of the mean, using stats_effective(); 0 for less than two values. Squares of the
 * values may overflow.
 */
double stats_error(const double *values, size_t n);

/*
 * Effective sample size from the lag-1 autocorrelation, taken to decay as in a first-order process.
 * At least 2, unless @n is smaller.
 */
double stats_effective(const double *values, size_t n);

/*
 * Two-sided p-value of a difference @away with the standard error @error, if the true one is at
 * most @allowed: Student's t with @freedom degrees of freedom.
 */
double stats_chance(double away, double allowed, double error, double freedom);

/* One-sided p-value of the rank correlation @r of @n pairs. */
double stats_rank_chance(double r, double n);
