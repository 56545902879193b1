/*
 * Segments: the place on a feature at which two curves describe the metric better than one.
 *
 * Every place between two observed values is looked at, by sums in the order of the feature. The
 * curves are those of the strongest predictors and of the feature itself: a constant, a line or a
 * parabola, each side its own.
 */
#pragma once

#include "curve.h"

/* What is to be described, one a row. */
struct changepoint_target {
	const double *y;               /* over its spread */
	const double *inverse;         /* of the spread */
	const double *residual;        /* of the whole, over the spread */
	const struct predictor *whole; /* the curve's predictor; NULL: it is constant */
};

struct changepoint {
	size_t first; /* so many rows in the order are on the first side; the next one is larger */
	double left;  /* the part of the whole's residual squares that two curves leave */
};

struct changepoint_search;

/* @ranking, @target and what it has are borrowed, the memory is @arena's. */
struct changepoint_search *changepoint_create(struct arena *arena,
					      const struct rank_regression *ranking,
					      const struct changepoint_target *target);

/*
 * The best place in the order of a predictor, each side having at least @least rows. False: there
 * is none.
 */
bool changepoint_find(struct changepoint_search *segmenter, size_t predictor, size_t least,
		      struct changepoint *ret);

/* The same in any order of all rows; of no predictor, so that its curve is that of its places. */
bool changepoint_find_in(struct changepoint_search *segmenter, const struct order *order,
			 size_t least, struct changepoint *ret);

/* The part that is left when the rows are parted so; those on no side do not count. */
double changepoint_judge(struct changepoint_search *segmenter, const uint8_t *sides);
