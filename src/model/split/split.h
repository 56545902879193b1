/* Splits: conditions on one column, and the side of a call. */
#pragma once

#include <stdbool.h>

#include "core/samples/samples.h"

enum split_kind {
	SPLIT_AT, /* x <= at, and x > at */
	/* x == at, and x != at: categories, and integers that a branch compares */
	SPLIT_IS,
	SPLIT_TRUE,    /* x, and !x: of booleans; `at` is 0 */
	SPLIT_DEFINED, /* x has a value; `at` is 0 */
	/* Of `at` times x, and `other`: below, at most, equal. */
	SPLIT_BELOW,
	SPLIT_UP_TO,
	SPLIT_SAME,
};

struct split {
	const struct column *column; /* a feature of the samples */
	const struct column *other;  /* from SPLIT_BELOW on; else NULL */
	enum split_kind kind;
	double at;
	/*
	 * Gain in -2 log likelihood (robust: outliers count as a few deviations), less what chance
	 * would give the best of as many conditions.
	 */
	double gain;
	bool from_branch; /* from the code: exact as far as observed */
};

/* Has @row values for it? */
bool split_has(const struct split *split, size_t row);
/* Is @row, which has, on the first side? */
bool split_holds(const struct split *split, size_t row);

/* Is @row of the samples on the first side (*@ret)? False: that cannot be decided. */
bool split_decides(const struct split *split, size_t row, bool *ret);

enum { PARTITION_ROWS_MIN = 10 };
