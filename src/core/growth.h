/*
 * Classes of growth: how a cost rises with one feature. A new one needs a place here and a row in
 * growth.c.
 *
 * All but the last two are x^power log(x)^log, the form of a formula's factor
 * (core/annotation/annotation.h), with numbers of the class. The exponent of a power that is no
 * class of its own, and the base of an exponential, are those of the formula.
 */
#pragma once

#include <stdbool.h>

/* Slowest first: by the power, then by the logarithm. */
enum growth {
	GROWTH_CONSTANT,
	GROWTH_LOG,
	GROWTH_SQRT,
	GROWTH_LINEAR,
	GROWTH_NLOGN,
	GROWTH_QUADRATIC,
	GROWTH_CUBIC,
	GROWTH_FIXED, /* so many have their numbers */
	GROWTH_POWER = GROWTH_FIXED,
	GROWTH_EXPONENTIAL,
	GROWTH_COUNT,
};

struct growth_info {
	const char *name;   /* in JSON: "nlogn" */
	const char *phrase; /* in sentences: "square root of n" */
	const char *symbol; /* short: "√n" */
	double power;       /* of x */
	unsigned log;       /* power of the natural logarithm of x */
	/* gain in -2 log likelihood over a line that it must show: in all, and per row */
	double penalty, penalty_row;
};

const struct growth_info *growth_info(enum growth growth);
const char *growth_name(enum growth growth);
const char *growth_phrase(enum growth growth);

/*
 * The class of x^power log(x)^log: GROWTH_POWER if it has no logarithm and no class its positive
 * power, else rounded up to the next fixed one, at most the fastest of these.
 */
enum growth growth_of(double power, unsigned log);

/* Is it defined at @x? x log x is 0 at 0, where a power of x beats its logarithm. */
bool growth_is_defined(enum growth growth, double x);

/* x^power * log_x^log of a fixed class, for callers that scale x and its logarithm. */
double growth_product(enum growth growth, double x, double log_x);

/* The same of @x / @scale and log(@x) / @log_scale; the latter is 0 where @x is not positive. */
double growth_scaled(enum growth growth, double x, double scale, double log_scale);

/* Undo the scaling of a coefficient: @value / (scale^power log_scale^log). */
double growth_unscale(enum growth growth, double value, double scale, double log_scale);
