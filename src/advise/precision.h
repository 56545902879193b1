/*
 * How precisely the cost of a typical call is known, and which calls would halve that.
 *
 * Of the model that describes most calls: with a row of terms for each, weighted by its expected
 * deviation, the variance of the cost expected at x is xᵀ(XᵀWX)⁻¹x. k calls at z lower it by
 * k·w·c²/(1 + k·w·s), c = xᵀCz, s = zᵀCz. Source: Atkinson, Donev, Optimum Experimental Designs
 * (1992), chapter 9.
 */
#pragma once

#include "core/figure/study.h"

struct precision {
	double relative; /* half the 95 % interval over the cost, the worst of 3 typical calls */
	double cost;     /* of that one, as expected */
	/* The next calls: so many with this value of this feature of the annotation, or of any. */
	unsigned feature; /* STUDY_NONE: any */
	double value;
	double calls; /* INFINITY: calls like that do not do it */
};

/* False: nothing is known, as of fewer than three calls. */
bool precision_find(const struct study *study, struct precision *ret);
