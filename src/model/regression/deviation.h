/*
 * Deviation: is the noise of a model the same everywhere, or does it grow with the cost?
 *
 * A call's deviation is base + part * its expected cost; base and part by maximum likelihood of
 * normal residuals, and a part only if that is better by BIC and more. Source: Carroll and Ruppert,
 * Transformation and Weighting in Regression (1988), chapter 3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * From @n residuals around the means @mean. False: the noise does not grow, and nothing is set. The
 * deviation is positive for each of the means.
 */
bool deviation_find(const double *residual, const double *mean, size_t n, double *base,
		    double *part);
