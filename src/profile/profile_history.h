/* A profile's runs: how its samples were measured. */
#pragma once

#include "base/arena.h"
#include "core/run.h"
#include "profile.h"

/*
 * Set in `run`: command, executable, build_id, host, kernel, cpu and started; in `account`: stops,
 * stopped_ns and duration_ns.
 */
struct past_run {
	int64_t id;
	struct run run;
	/* else it is running or was killed, and the next two are not set */
	bool has_ended;
	struct ending ending;
	struct account account;
	double stop_cost_ns; /* what a stop costs the program in total; NAN: unknown */
};

/* The last @most runs, oldest first, in @arena. Unknown texts are NULL. ERR_IO, ERR_FORMAT. */
bool profile_history(struct profile *profile, size_t most, struct arena *arena,
		     struct past_run **ret, size_t *ret_n, struct err *err);
