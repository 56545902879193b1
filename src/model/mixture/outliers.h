/*
 * Outliers: a few calls that cost far more than all modes, each for a reason of its own, such as
 * preemption or a page fault. They widen the density's bandwidth so much that narrow modes merge,
 * and a mixture spends a wide component on them.
 */
#pragma once

#include "mixture.h"

struct outliers {
	size_t n;
	double bic;   /* what they add to the BIC of the mixture of the others */
	double limit; /* numbers above are outliers; INFINITY: there are none */
};

/* With fewer of @n calls a component is no mode, however alike they are. */
double outliers_mode_least(size_t n);

/*
 * Leave the outliers out of the @n numbers @y if that describes all of them better; @mixture, of
 * all numbers, then becomes that of the others. @resolution: as of mixture_find().
 */
void outliers_leave_out(const double *y, size_t n, double resolution, struct mixture *mixture,
			struct outliers *ret);

/*
 * Outliers beyond all comparison: a hundredth of the numbers @y at most (but one of a few), each
 * many times farther from the median than the farthest other, and than @resolution. Whatever else
 * there is, they would be most of its mean and of its deviation. @ret->bic is not set.
 */
void outliers_find_alone(const double *y, size_t n, double resolution, struct outliers *ret);
