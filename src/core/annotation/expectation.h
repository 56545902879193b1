/*
 * What annotations lead one to expect of a call: the case that it belongs to, the mean and the
 * deviation there.
 */
#pragma once

#include "base/err.h"
#include "annotation_parse.h"

/* The value of a feature: a number, or the name of an enumerator or class. */
struct argument {
	bool known;
	double number;
	const char *symbol; /* NULL: there is a number only */
};

/*
 * Does @one hold for @x, indexed like the features? A condition about what is not known does not.
 */
bool expectation_case_holds(const struct annotation_case *one, const struct argument *x);

struct expectation {
	const struct annotation_case *in; /* the first case that holds */
	double mean, deviation; /* of its mixture as a whole; the deviation is at least 0 */
	double low,
		/*
		 * 95 % of the calls cost between that; a cost is never below 0. Only if asked for
		 */
		high;
};

/*
 * @all has the annotations that are referred to. ERR_NOT_FOUND: no case holds, or nothing is known
 * of a function that is referred to. ERR_USAGE: a feature that is needed is not known, formulas
 * refer to each other in a circle, or the formula has no value there.
 */
bool expectation_find(const struct annotation *annotation, const struct annotation_list *all,
		      const struct argument *x, struct expectation *ret, struct err *err);

/* The same, with `low` and `high`. */
bool expectation_find_interval(const struct annotation *annotation,
			       const struct annotation_list *all, const struct argument *x,
			       struct expectation *ret, struct err *err);

/*
 * The features whose values were not observed, beyond what was, when the annotation was made: an
 * expectation there is extrapolation. Their names are in @ret, in @arena. Returns how many there
 * are.
 */
size_t expectation_outside(const struct annotation *annotation, const struct argument *x,
			   struct arena *arena, const char *const **ret);

/*
 * "n=5000 is outside of what was observed (10 .. 987)", of each of them, and what that means; NULL:
 * there are none.
 */
const char *expectation_outside_phrase(const struct annotation *annotation,
				       const struct argument *x, struct arena *arena);

/*
 * The annotation of @metric whose function is called @name, parentheses left out or not; NULL:
 * none.
 */
const struct annotation *expectation_annotation(const struct annotation_list *all, const char *name,
						enum metric metric);
