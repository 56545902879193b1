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

/*
 * Calls so far beyond a model that their number decides nothing. What is true of calls however
 * they depend on each other: one is k deviations above its mean with the chance 1 / (1 + k²) at
 * most, whatever its distribution (Cantelli's inequality), so half of them are with twice that
 * (Markov's). The error that calls have by their own dependence says little where a feature moves
 * them all, far away from the model; so the better one counts.
 */
struct far_beyond {
	double median; /* deviations beyond what is allowed */
	bool is_far;   /* the median call is not what the model describes */
	bool has_most; /* hardly any call is: else it may be of one kind that comes in rows */
};

/* @away [@n]: in deviations of a model of @n_model calls (0: it is taken as exact); changed. */
struct far_beyond far_rows_beyond(double *away, size_t n, size_t n_model);

/*
 * The p-value by the calls; 1: it says nothing. If these get @part of the way, and something else
 * the rest: runs may differ, too.
 */
double far_rows_chance(const struct far_beyond *beyond, double part);
