/*
 * Smooth curves through the costs of calls, for where no formula holds: what they say is true
 * between the calls that were seen, and nowhere else.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"

enum smooth_kind {
	SMOOTH_NONE,
	SMOOTH_KERNEL, /* local linear regression; cross-validation says of how many neighbours */
	/* Means of bins (a regressogram), as many as a rule has. */
	SMOOTH_BINS, /* Doane's */
	SMOOTH_STURGES,
	SMOOTH_RICE,
	SMOOTH_SQRT,
	SMOOTH_SCOTT,
	SMOOTH_FD,   /* of Freedman and Diaconis */
	SMOOTH_MEAN, /* of the neighbours, a twentieth of the calls */
	SMOOTH_MEDIAN,
	SMOOTH_EXPONENTIAL, /* mean of the calls up to there, the farther the less */
	SMOOTH_KIND_COUNT
};

enum {
	SMOOTH_POINTS = 40 /* of an annotation's */,
	SMOOTH_POINTS_MAX = 256,
	SMOOTH_CALLS_MIN = 12
};

/* Between `low` and `high` is the curve, at each place in 95 of 100 such samples. */
struct smooth {
	enum smooth_kind kind;
	const char *over; /* expression of a feature, or words */
	size_t n;
	double *x, *y, *low, *high; /* [n] ascending, finite */
};

const char *smooth_name(enum smooth_kind kind);  /* "kernel" */
enum smooth_kind smooth_named(const char *name); /* SMOOTH_NONE: none is */

/*
 * The curve through (x, y), all finite, at up to @steps of these places, in @arena. False: too few
 * calls, or they all have one x.
 * Sources: W. S. Cleveland, Robust locally weighted regression, 1979 (weights, neighbours);
 * D. P. Doane, Aesthetic frequency classifications, 1976.
 */
bool smooth_fit(const double *x, const double *y, size_t n, enum smooth_kind kind, size_t steps,
		struct arena *arena, struct smooth *ret);

/* On the curve at @x: y, low, high in @ret. False: that is not between its ends. */
bool smooth_at(const struct smooth *smooth, double x, double ret[3]);

/* Where what a formula leaves over is not what chance would leave. */
struct smooth_misfit {
	double low, high;   /* from here to there, of x */
	double probability; /* of a formula that is right */
};

/*
 * Test of lack of fit: @left[@n] is what a formula leaves over, in its deviations, at @x. A curve
 * through it is compared with those through permutations of it, by the place where it is farthest
 * from their mean. True: the formula is wrong, at a level of 1 %.
 */
bool smooth_find_misfit(const double *x, const double *left, size_t n, struct smooth_misfit *ret);

/* "kernel: 5.1 (4.9 to 5.3) at 10, 6 (5.5 to 6.5) at 20; over n"; and back, in @arena. */
void smooth_print(const struct smooth *smooth, FILE *out);
bool smooth_read(const char *text, struct arena *arena, struct smooth *ret);
