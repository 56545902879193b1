/*
 * Far calls: a few that cost far more than all modes, each something else. Somebody else had the processor meanwhile, or a page was not there.
 *
 * A density of all calls is as wide as they reach, and modes that are narrow are one hump in it.
 */
#ifndef FATHOM_MODEL_FAR_H
#define FATHOM_MODEL_FAR_H

#include "model/mixture.h"

struct far {
	size_t n;     /* 0: none, and nothing else is set */
	double limit; /* numbers above it are far */
	double bic;   /* what they, and their share, add to the BIC of the others' mixture */
};

/*
 * Leave the far ones out of the @n numbers @y, whose mixture is @mixture, if what remains and they apart from it are described better than by
 * that: then @mixture becomes that of the others alone.
 */
void far_leave_out(const double *y, size_t n, struct mixture *mixture, struct far *ret);

#endif
