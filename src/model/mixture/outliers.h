/*
 * Far calls: a few that cost far more than all modes, each something else, by preemption or a page
 * fault. They make a density so wide that narrow modes are one hump, and a mixture has a wide
 * component for them.
 */
#pragma once

#include "mixture.h"

struct outliers {
	size_t n;   /* 0: none, and nothing else is set */
	double bic; /* what they add to the BIC of the others' mixture */
	struct mixture all;
	unsigned n_modes; /* of @all's components; numbers of the others are far */
	double limit;     /* and so are those above */
};

/* Fewer of @n calls are no mode, however alike. */
double outliers_mode_least(size_t n);

/*
 * Leave the far ones out of the @n numbers @y if that describes all of them better; @mixture, that
 * of all, then becomes that of the others.
 */
void outliers_leave_out(const double *y, size_t n, struct mixture *mixture, struct outliers *ret);

/* Is a call of the cost @y one of those? */
bool outliers_has(const struct outliers *far, double y);
