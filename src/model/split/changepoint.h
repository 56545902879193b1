/*
 * Changepoints: the place on a feature at which two curves describe the metric better than one.
 *
 * Running sums in the order of the feature test every place between two values. Curves are
 * constants, lines or parabolas of the strongest predictors and of the feature itself, separate on
 * each side.
 */
#pragma once

#include "rank_regression.h"

enum { CHANGEPOINT_CURVES = 3 /* predictors of curves, beside the own of a threshold */ };

/* The response, [n_choice]. */
struct changepoint_target {
	const double *y;        /* metric over its spread */
	const double *inverse;  /* 1 / spread */
	const double *residual; /* of one model of all rows, over the spread */
};

struct changepoint {
	size_t first; /* number of leading rows on the first side; the next value is larger */
	double left;  /* share of residual squares that two curves leave */
};

struct changepoint_search;

/* Borrows @ranking and @target; lives in @arena. */
struct changepoint_search *changepoint_create(struct arena *arena,
					      const struct rank_regression *ranking,
					      const struct changepoint_target *target);

/* The best place in the order of @predictor with at least @least rows per side. False: none. */
bool changepoint_find(struct changepoint_search *search, size_t predictor, size_t least,
		      struct changepoint *ret);

/* The same in any order of all rows; its own curve is of their positions. */
bool changepoint_find_in(struct changepoint_search *search, const struct order *order, size_t least,
			 struct changepoint *ret);

/* The share that the partition @sides leaves; rows on neither side do not count. */
double changepoint_judge(struct changepoint_search *search, const uint8_t *sides);
