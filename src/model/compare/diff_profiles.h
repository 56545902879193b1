/*
 * Diff: did a function's cost change, or its calls?
 *
 * The terms of the old model are refitted to both profiles, and the predictions for typical calls
 * are compared.
 */
#pragma once

#include "core/verdict/diff.h"
#include "core/samples/samples.h"

struct diff_options {
	double alpha;     /* probability of any false alarm */
	double tolerance; /* relative differences up to this do not count */
	/* how much costs of two runs differ (relative standard deviation) if runs do not say */
	double run_spread;
	bool by_turns; /* runs of both profiles are of the same minutes */
};

/* Compare @metric of a function. @diff takes both annotations; samples are borrowed. */
void diff_profiles_add(struct diff *diff, const struct samples *old, const struct samples *new,
		       struct annotation *old_model, struct annotation *new_model,
		       const struct diff_options *options);

/* Decide all tests together and sort the subjects, worst first. Returns how many are worse. */
size_t diff_profiles_decide(struct diff *diff, const struct diff_options *options);
