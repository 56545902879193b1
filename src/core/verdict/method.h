/*
 * Verdicts by detectors of Perun, which go by thresholds and know no chance: for people who come
 * from there. Plain data; model/compare/methods.c finds them.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "core/annotation/annotation.h"

enum method {
	METHOD_TESTS, /* none of Perun's */
	METHOD_AVERAGE,
	METHOD_ORDER,
	METHOD_INTEGRAL,
	METHOD_LOCAL,
	METHOD_OUTLIERS,
};

enum method_grade { GRADE_NONE, GRADE_MAYBE, GRADE_CHANGE, GRADE_SEVERE };

struct method_result {
	const char *side; /* as in struct diff */
	const char *function;
	enum metric metric;
	enum method_grade grade;
	/*
	 * average, integral, local: relative difference; order: difference of ranks; outliers: of
	 * the cost of all calls of a run, in the metric's unit. NAN: not known.
	 */
	double value;
	/* outliers: which part of the whole program's cost that is */
	double share;
	/* local: the worst of the windows, `where` of the feature `x`; else NULL */
	const char *x;
	double window, where[2];
	const char *reason;                 /* why there is none; NULL */
	const struct annotation *old, *now; /* owned by struct diff; NULL: none */
};

const char *method_name(enum method method);

/* Is it worse, without a doubt? */
bool method_is_worse(const struct method_result *result);

/* Print "work.time: worse by integral: 0.26". */
void method_print(const struct method_result *result, enum method method, FILE *out);

/* The same without a newline, in @arena. */
const char *method_text(const struct method_result *result, enum method method,
			struct arena *arena);
