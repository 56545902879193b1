/* A profile's runs: how its samples were measured. */
#pragma once

#include "base/arena.h"
#include "core/run.h"
#include "profile.h"

/*
 * Set in `run`: command, executable, build_id, host, kernel, cpu, started and probes; in `account`:
 * stops, stopped_ns and duration_ns.
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

/*
 * What noticed calls in its runs, each word once; none if that is not known. ERR_IO, ERR_FORMAT.
 */
bool profile_probes(struct profile *profile, struct arena *arena, const char *const **ret,
		    size_t *ret_n, struct err *err);

/* The last @most runs, oldest first, in @arena. Unknown texts are NULL. ERR_IO, ERR_FORMAT. */
bool profile_history(struct profile *profile, size_t most, struct arena *arena,
		     struct past_run **ret, size_t *ret_n, struct err *err);
