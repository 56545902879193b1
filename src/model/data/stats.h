/*
 * Series: statistics of one row of numbers, in the order of the calls, which may be alike when they
 * follow each other.
 */
#pragma once

#include <stddef.h>

double stats_mean(const double *values, size_t n); /* of none 0, like the next */
double stats_median(const double *values, size_t n);

/*
 * The value that a part @share (0 to 1) of @values is not above, between two of them by proportion;
 * of none NAN.
 */
double stats_quantile(const double *values, size_t n, double share);

/* The mean square of the distances from @around. */
double stats_mean_square(const double *values, size_t n, double around);

/*
 * The standard error of the mean, by stats_effective(); squares of the values need not be numbers.
 * Of less than two values 0.
 */
double stats_error(const double *values, size_t n);

/*
 * So many independent values say as much as these, which follow each other: by the autocorrelation
 * of neighbours, which is taken to fade like a first-order process's. At least 2, unless there are
 * fewer values.
 */
double stats_effective(const double *values, size_t n);

/*
 * The chance to see a difference @away or more, to either side, of what has the standard error
 * @error, when it is at most @allowed in truth: by Student's t with @freedom degrees of freedom.
 */
double stats_chance(double away, double allowed, double error, double freedom);
