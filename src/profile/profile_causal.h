/* Causal experiments in a profile, so that they go on another day. */
#pragma once

#include "core/causal/experiment.h"
#include "profile.h"

/* Those that were made with the same settings, of one build of the program. */
struct kept_experiments {
	const char *setting;  /* as its keeper calls it, once in a profile */
	const char *build_id; /* NULL: not known */
	struct experiments *experiments;
};

/*
 * The one with the number @i, from 0. The caller destroys *@ret's experiments, the texts live as
 * long as the profile; without any more its experiments are NULL. ERR_FORMAT.
 */
bool profile_load_experiments(struct profile *profile, size_t i, struct kept_experiments *ret,
			      struct err *err);

/* Keep @kept in place of what has its setting, in one transaction. */
bool profile_keep_experiments(struct profile *profile, const struct kept_experiments *kept,
			      struct err *err);
