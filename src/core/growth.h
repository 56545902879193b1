/*
 * Classes of growth: how a cost rises with one feature. To add one: its place here, its row in
 * growth.c.
 *
 * All of them are x^power log(x)^log, since that is what a factor of a formula can be
 * (annotation.h).
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
	GROWTH_COUNT,
};

struct growth_info {
	const char *name;   /* in JSON: "nlogn" */
	const char *phrase; /* in sentences: "square root of n" */
	const char *symbol; /* among others of its kind: "√n" */
	double power;       /* of x */
	unsigned log;       /* power of the natural logarithm of x */
	/* -2 log likelihood that it must earn against a line: at all, and for each row. */
	double penalty, penalty_row;
};

const struct growth_info *growth_info(enum growth growth);
const char *growth_name(enum growth growth);
const char *growth_phrase(enum growth growth);

/* The class of x^power log(x)^log, rounded up to the next one; the fastest one at most. */
enum growth growth_of(double power, unsigned log);

/* Is it a number at @x? A power of x beats its logarithm at 0: x log x is 0 there. */
bool growth_is_defined(enum growth growth, double x);

/* x^power * log_x^log, for whoever scales x and its logarithm. */
double growth_product(enum growth growth, double x, double log_x);

/* The same of @x / @scale and log(@x) / @log_scale, which is 0 where @x is not positive. */
double growth_scaled(enum growth growth, double x, double scale, double log_scale);

/* @value divided by what growth_scaled() divides by. */
double growth_unscale(enum growth growth, double value, double scale, double log_scale);
