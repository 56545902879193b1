/*
 * The functions of a profile that were asked for, loaded one after the other: what annotating and
 * exporting begin with.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "core/samples/samples.h"
#include "model/model_build.h"
#include "cli/options.h"
#include "profile/profile.h"

/* How models are to be made. */
struct model_options selected_functions_options(const struct options *options);

/* Bits 1 << enum metric: those of -m, or all that were measured. */
unsigned selected_functions_metrics(const struct samples *samples, const struct options *options);

/* Is told of a function; @key is the profile's. @samples are borrowed, and may be changed. */
typedef bool (*chosen_visitor)(void *self, const char *key, struct samples *samples,
			       struct err *err);

/* Which functions are wanted, where that is not what -f says. */
struct chosen_filter {
	bool (*has)(const void *self, const struct samples *samples);
	const void *self;
};

struct chosen {
	struct profile *profile;
	const struct options *options;
	const struct chosen_filter *filter; /* NULL: those of -f, or all */
	size_t max_cells; /* of a table; 0: as many as models are made from. See profile_load() */
};

/* Visit them in the profile's order, until a visitor fails. None is no error. */
bool selected_functions_visit(const struct chosen *chosen, chosen_visitor visit, void *self,
			      struct err *err);
