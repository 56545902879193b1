/*
 * The units of a causal profile: functions, or lines, of a program's code. They enter the table of
 * experiments when they are first seen to run.
 *
 * A sample counts for the innermost of its thread's calls that is in scope: time in a library, or
 * in whatever else is not, is its caller's.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/causal/experiment.h"
#include "dwarf/catalogue_build.h"
#include "trace/causal/causal_run.h"

struct causal_units;

struct causal_scope {
	/*
	 * [n_patterns] globs of functions', source files' and modules' names; none: the program's
	 * own sources, or all of a program without debug information.
	 */
	const char *const *patterns;
	size_t n_patterns;
	const char *only; /* the name of the only unit that is wanted; NULL: all */
	bool lines;       /* units are lines, not functions */
	bool callers;     /* what is called from two functions is two units */
	bool hosts;       /* inlined code is that of the function that it is in */
};

/* @experiments and what is in the others is borrowed. */
struct causal_units *causal_units_create(const struct catalogue_request *request,
					 const struct causal_scope *scope,
					 struct experiments *experiments);
void causal_units_destroy(struct causal_units *units); /* NULL is fine */

/* The unit of @sample, which is added if it is new; CAUSAL_NO_UNIT: none in scope. */
int causal_units_of(struct causal_units *units, const struct causal_sample *sample);

/* By its name, or as FILE:LINE. */
bool causal_units_is_called(const struct causal_unit *unit, const char *name);

/* Is it the only one, or are all wanted? */
bool causal_units_is_wanted(const struct causal_units *units, unsigned unit);
