/* The calls of a profile as spans (core/figure/spans.h), whichever functions they are of. */
#pragma once

#include "core/figure/spans.h"
#include "profile/profile.h"

struct profile_spans {
	struct spans spans; /* arranged */
	struct profile *profile;
	struct arena *arena;
	struct span_run *runs;
	size_t n_runs, runs_capacity;
};

/*
 * @profile is borrowed meanwhile. ERR_UNSUPPORTED: it has more than @most calls; that is known
 * before any is read. The caller calls profile_spans_deinit() in any case.
 */
bool profile_spans_read(struct profile *profile, size_t most, struct profile_spans *ret,
			struct err *err);
void profile_spans_deinit(struct profile_spans *reading);
