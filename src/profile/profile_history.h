/*
 * What a profile says of its runs: how its samples were measured.
 */
#pragma once

#include "base/arena.h"
#include "core/run.h"
#include "profile.h"

/*
 * Of `run`: command, executable, build_id, host, kernel, cpu and started; of `account`: stops,
 * stopped_ns and duration_ns.
 */
struct past_run {
	int64_t id;
	struct run run;
	/* else it is running, or was killed, and of the next two nothing is known */
	bool has_ended;
	struct ending ending;
	struct account account;
	double stop_cost_ns; /* what a stop costs the program, all in all; NAN: not known */
};

/*
 * The last @most runs, oldest first, in @arena. Texts that are not known are NULL. ERR_IO,
 * ERR_FORMAT.
 */
bool profile_history(struct profile *profile, size_t most, struct arena *arena,
		     struct past_run **ret, size_t *ret_n, struct err *err);
