/*
 * Features that may be compared with each other: those of one unit, as far as their names say.
 *
 * No debug information has units, but programmers name sizes, counts, positions, bytes and times:
 * `size` and `capacity` are compared in programs, `size` and `timeout_ms` are not.
 */
#pragma once

#include "rank_regression.h"

enum { FEATURE_PAIRS_MAX = 128 };

struct feature_pair {
	size_t left, right; /* predictors */
	double times;       /* of the left one: bytes of each, where the right one counts bytes */
};

/* The unit that the name of an expression tells. */
enum feature_unit { UNIT_NONE, UNIT_AMOUNT, UNIT_BYTES, UNIT_DURATION };
enum feature_unit feature_pairs_unit(const char *expression);

/* Pairs of predictors of one unit that nearly all rows have; returns how many. */
size_t feature_pairs_find(const struct rank_regression *ranking,
			  struct feature_pair ret[FEATURE_PAIRS_MAX]);
