/*
 * Far rows: calls that cost something else for a reason of their own, such as those that waited for
 * a processor. They would hide the rest, and are left out and counted, alike when a model is made
 * and when calls are checked against it.
 */
#pragma once

#include "robust.h"

#define FAR_ROWS_SCALES 5.0

/* If more than this part of the calls is far, the rest is only the main trend. */
#define FAR_ROWS_FEW 0.05

/* Beside a main trend at most this part of the calls may be. */
#define FAR_ROWS_BESIDE 0.65

/* Calls so many deviations above a mode are of none, if they are at most this part. */
#define FAR_ROWS_ABOVE   6.0
#define FAR_ROWS_OF_NONE 0.1

/*
 * Mark in @ret ([@n]) the far rows by residuals, scale and spread of @robust; without a formula
 * (all fitted costs are the same) by usual noise; but only by more than @least, the resolution.
 * Returns their number; 0 also if they are too many to be left out, or hide nothing.
 */
size_t far_rows_find(const struct robust *robust, size_t n, double least, bool *ret);
