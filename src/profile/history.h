/*
 * What a profile says of its runs: how its samples were measured.
 */
#ifndef FATHOM_PROFILE_HISTORY_H
#define FATHOM_PROFILE_HISTORY_H

#include "base/mem.h"
#include "core/run.h"
#include "profile/profile.h"

/* Of `run`: command, executable, build_id, host, kernel, cpu and started; of `account`: stops, stopped_ns and duration_ns. */
struct past_run {
	int64_t id;
	struct run run;
	bool has_ended; /* else it is running, or was killed, and of the next two nothing is known */
	struct ending ending;
	struct account account;
	double stop_cost_ns; /* what a stop costs the program, all in all; NAN: not known */
};

/*
 * The last @most runs, oldest first, in @arena. Texts that are not known are NULL. ERR_IO, ERR_FORMAT.
 */
bool profile_history(struct profile *profile, size_t most, struct arena *arena,
		     struct past_run **ret, size_t *ret_n, struct err *err);

#endif
