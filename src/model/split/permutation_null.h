/*
 * Chance: how much a condition must explain before it can be none.
 *
 * Costs are not normal: they have modes, far calls and ties, and no formula says how well the best
 * of a thousand conditions describes such noise. So it is asked of conditions that cannot mean
 * anything: the same costs, cut in random orders of their rows. It says nothing of a feature that
 * the cost goes with smoothly: that curves describe it as well is curve.c's matter. Sources:
 * Phipson, Smyth, Permutation p-values should never be zero, Statistical Applications in Genetics
 * and Molecular Biology 9 (2010); Knijnenburg, Wessels, Reinders, Shmulevich, Fewer permutations,
 * more accurate P-values, Bioinformatics 25 (2009), for the tail.
 */
#pragma once

#include "changepoint.h"

struct permutation_null {
	size_t n;                /* rows */
	double quantile, excess; /* private */
};

/* What random orders explain, each side having at least @least_rows. */
void permutation_null_init(struct permutation_null *chance, struct changepoint_search *segmenter,
			   const struct dataset *data, size_t least_rows);

/*
 * Does a condition that leaves @left, the best of @tried ones, explain more than the best of as
 * many meaningless ones would, but for one table in ten thousand?
 */
bool permutation_null_is_beaten(const struct permutation_null *chance, double left, size_t tried);
