/*
 * What annotations predict for a call: the case that it belongs to, the mean and the deviation
 * there.
 */
#pragma once

#include "base/err.h"
#include "annotation_parse.h"

/* The value of a feature: a number, or the name of an enumerator or class. */
struct argument {
	bool known;
	double number;
	const char *symbol; /* NULL: there is a number only */
	bool absent;        /* not known: it is known that there is none */
};

/* Does @one hold for @x[n_features]? Conditions on unknown values do not. */
bool expectation_case_holds(const struct annotation_case *one, const struct argument *x);

struct expectation {
	const struct annotation_case *in; /* the first case that holds */
	double mean, deviation;           /* of the whole mixture; the deviation is at least 0 */
	double low, high; /* 95 % of such calls cost between, never below 0; NAN: not asked */
};

/*
 * Predict for @x; @all has the annotations that formulas refer to. ERR_NOT_FOUND: no case holds, or
 * a function referred to has no annotation. ERR_USAGE: a needed feature is unknown, references are
 * circular or too many, or the formula has no value there.
 */
bool expectation_find(const struct annotation *annotation, const struct annotation_list *all,
		      const struct argument *x, struct expectation *ret, struct err *err);

/* The same, with `low` and `high`. */
bool expectation_find_interval(const struct annotation *annotation,
			       const struct annotation_list *all, const struct argument *x,
			       struct expectation *ret, struct err *err);

/*
 * The names, in @arena, of the features whose values lie outside of the observed range, where
 * predictions are extrapolation. Returns how many.
 */
size_t expectation_outside(const struct annotation *annotation, const struct argument *x,
			   struct arena *arena, const char *const **ret);

/*
 * "n=5000 is outside of what was observed (10 .. 987)" for each of them, and what that means; NULL:
 * none.
 */
const char *expectation_outside_phrase(const struct annotation *annotation,
				       const struct argument *x, struct arena *arena);

/* The annotation of @metric for the function @name, with or without parameters; NULL: none. */
const struct annotation *expectation_annotation(const struct annotation_list *all, const char *name,
						enum metric metric);
