/*
 * Permutation null: how much a condition must explain to beat chance.
 *
 * Costs are not normal: they have modes, outliers and ties, and no formula says how well the best
 * of a thousand conditions describes such noise. So the same costs are cut in random orders of
 * their rows. This does not test a smooth dependence, which the model of all rows describes as
 * well.
 * Sources: Phipson, Smyth, Permutation p-values should never be zero, Statistical Applications in
 * Genetics and Molecular Biology 9 (2010); Knijnenburg, Wessels, Reinders, Shmulevich, Fewer
 * permutations, more accurate P-values, Bioinformatics 25 (2009), for the tail.
 */
#pragma once

#include "changepoint.h"

struct permutation_null {
	size_t n; /* rows */
	/* private */
	struct changepoint_search *search;
	const struct dataset *data;
	size_t least_rows;
	bool is_drawn;
	double quantile, excess;
};

/*
 * For orders with at least @least_rows per side. They are drawn when a condition explains more than
 * is asked of any: borrows @search and @data until then.
 */
void permutation_null_init(struct permutation_null *null, struct changepoint_search *search,
			   const struct dataset *data, size_t least_rows);

/*
 * Does the best of @tried conditions, which leaves @left, explain more than the best of as many
 * random ones, but for one table in ten thousand?
 */
bool permutation_null_is_beaten(struct permutation_null *null, double left, size_t tried);
