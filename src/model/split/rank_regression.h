/*
 * Ranks: the rows in the order of each predictor, and the predictors that the metric follows.
 *
 * Ranks ignore decades, outliers and the shape of growth, so a thousand predictors can be compared
 * at once; models judge the best. Rows are the choice rows, each on the first side, the second,
 * or neither. Source: Conover, Iman, Rank transformations as a bridge between parametric and
 * nonparametric statistics, The American Statistician 35 (1981).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/data/dataset.h"

enum { RANKED_MAX = 8 };

enum side { SIDE_NONE, SIDE_FIRST, SIDE_SECOND };

struct order {
	const struct place *places;
	size_t n; /* rows with the predictor */
};

struct rank_regression {
	const struct dataset *data;
	struct order *orders; /* [n_predictors] */
};

/* With the orders of all predictors; lives in @arena. */
struct rank_regression *rank_regression_create(struct arena *arena, const struct dataset *data);

/* Do nearly all rows have the predictor? Others are neither conditions nor curves. */
bool rank_regression_covers(const struct rank_regression *ranking, size_t predictor);

/* Ranks of a predictor in @ret ([@n]), from -1 to 1; 0 where absent. */
void rank_regression_of_order(const struct order *order, size_t n, double *ret);

/*
 * The predictors whose ranks go best with the metric's, of those that nearly all rows have: at most
 * @max, the best first, ties in order, no booleans (they are conditions), and no returned values:
 * beside these nothing would be left for conditions to explain. Returns their number.
 */
size_t rank_regression_strongest(const struct rank_regression *ranking, size_t max, size_t *ret);
