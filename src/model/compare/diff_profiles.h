/*
 * Diff: did a function's cost change, or the calls that were made of it?
 *
 * The terms of the old model are fitted again to the samples of both profiles, and what the fits
 * say of typical calls is compared.
 */
#pragma once

#include "core/verdict/diff.h"
#include "core/samples/samples.h"

struct diff_options {
	double alpha;     /* the chance that anything is called changed by accident */
	double tolerance; /* relative differences up to this do not matter */
};

/*
 * Compare @metric of a function, given its samples in both profiles and the annotations that models
 * of these are; @diff takes both annotations.
 */
void diff_profiles_add(struct diff *diff, const struct samples *old, const struct samples *new,
		       struct annotation *old_model, struct annotation *new_model,
		       const struct diff_options *options);

/*
 * Decide what is certain, of all together; sort the worst first. Returns how many subjects are
 * worse.
 */
size_t diff_profiles_decide(struct diff *diff, const struct diff_options *options);
