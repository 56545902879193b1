/*
 * Ranking: the rows in the order of each predictor, and which predictors the metric goes with.
 *
 * Ranks do not mind decades, far calls and how the metric grows, so a thousand predictors can be
 * compared at once; whether it is worth a curve is curve.c's matter. Rows are the choice rows, each
 * on a side: those of the first, the second, or neither. Source: Conover, Iman, Rank
 * transformations as a bridge between parametric and nonparametric statistics, The American
 * Statistician 35 (1981).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/data/dataset.h"

enum { RANKED_MAX = 8 };

enum side { SIDE_NONE, SIDE_FIRST, SIDE_SECOND };

_Static_assert(CHOICE_ROWS <= UINT16_MAX, "a place holds the number of a row");

/* One row in the order of a predictor. */
struct place {
	uint16_t row;
	bool rises; /* its value is larger than the one before; so is the first */
};

struct order {
	struct place *places;
	size_t n; /* rows that have the predictor */
};

struct rank_regression {
	const struct dataset *data;
	struct order *orders; /* [n_predictors] */
	double *ranks;        /* private */
};

/* Sort the rows by every predictor; the memory is @arena's. */
struct rank_regression *rank_regression_create(struct arena *arena, const struct dataset *data);

/* Is the predictor present in nearly all rows? Others are neither conditions nor curves. */
bool rank_regression_covers(const struct rank_regression *ranking, size_t predictor);

/* Ranks of a predictor, from -1 to 1; 0 where it is absent. */
void rank_regression_of_order(const struct order *order, size_t n, double *ret);

/*
 * The predictors that @ranks, of some numbers of the rows, go with most closely, in a line or a bow
 * of ranks, on the side
 * @which of the rows, nearly all of which have them; at most @max <= RANKED_MAX, the closest first,
 * of equal ones the first. Booleans, which are conditions, are none. Returns how many.
 */
size_t rank_regression_strongest(const struct rank_regression *ranking, const double *ranks,
				 const uint8_t *sides, enum side which, size_t max, size_t *ret);

/*
 * The ranks of the metric on a side, as rank_regression_strongest() wants them. They hold until the
 * next call.
 */
const double *rank_regression_of_metric(const struct rank_regression *ranking, const uint8_t *sides,
					enum side which);
