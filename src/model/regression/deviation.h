/*
 * Deviation: is the noise constant, or does it grow with the cost?
 *
 * A call's deviation is base + part * its expected cost, by maximum likelihood of normal residuals;
 * part is not 0 only if clearly better by BIC. Source: Carroll and Ruppert, Transformation and
 * Weighting in Regression (1988), chapter 3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/annotation/annotation.h"

/*
 * From @n residuals around the means @mean. False: the noise does not grow; nothing is set. The
 * deviation is positive for each mean.
 */
bool deviation_find(const double *residual, const double *mean, size_t n, double *base,
		    double *part);

/* base + part * mean, in @arena. */
struct formula deviation_formula(struct arena *arena, const struct formula *mean, double base,
				 double part);
