/*
 * The units of a causal profile: functions, or lines, of a program's code, by address. They enter
 * the table of experiments when they are first seen to run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/causal/experiment.h"
#include "dwarf/catalogue_build.h"

struct causal_units;

struct causal_scope {
	const char *pattern; /* glob of functions' names, or of source files'; NULL: all */
	const char *only;    /* the name of the only unit that is wanted; NULL: all */
	bool lines;          /* units are lines, not functions */
};

/* @experiments and the strings are borrowed. Errors of call_sites_open(). */
bool causal_units_open(const char *path, const struct catalogue_request *request,
		       const struct causal_scope *scope, struct experiments *experiments,
		       struct causal_units **ret, struct err *err);
void causal_units_close(struct causal_units *units); /* NULL is fine */

/* The unit at the link-time address @addr, which is added if it is new; -1: none in scope. */
int causal_units_at(struct causal_units *units, uint64_t addr);

/* Is it the only one, or are all wanted? */
bool causal_units_is_wanted(const struct causal_units *units, unsigned unit);
