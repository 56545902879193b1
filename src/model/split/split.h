/*
 * Splits: conditions on one column, and on which side of it a call is.
 */
#pragma once

#include <stdbool.h>

#include "core/samples/samples.h"

enum split_kind {
	SPLIT_AT, /* x <= at, and x > at */
	/*
	 * x == at, and x != at: of categorical columns, and of whole numbers where a branch asks so
	 */
	SPLIT_IS,
	SPLIT_TRUE, /* x, and !x: of booleans; `at` is 0 */
};

struct split {
	const struct column *column; /* a feature of the samples */
	enum split_kind kind;
	double at;
	/*
	 * What it is worth, as a part of -2 log likelihood (robust: far calls count no more than a
	 * few deviations), beyond what chance would give the best of so many conditions; more is
	 * better.
	 */
	double gain;
	bool from_branch; /* the code says so: the place is exact as far as it was observed */
};

/* The side of @split on which a call with the number @x is: true for the first. */
bool split_holds(const struct split *split, double x);

enum { PARTITION_ROWS_MIN = 10 };
