/*
 * Causal experiments with a session's first process, until it ends or somebody has enough. The
 * session measures one function, the progress point, and is launched or attached with
 * session_options.apart.
 */
#pragma once

#include "base/err.h"
#include "core/causal/experiment.h"
#include "core/run.h"
#include "trace/session.h"

enum { CAUSAL_NO_UNIT = -1 };

struct causal_request {
	unsigned point;       /* function of the session's catalogue: its returns are visits */
	double fixed_speedup; /* the only one that is tried; 0: many */
	uint64_t seed;
	/*
	 * The unit at the link-time address of the program, which may be anywhere: its index in the
	 * table, to which it may have been added; or CAUSAL_NO_UNIT.
	 */
	int (*unit_of)(void *self, uint64_t addr);
	/* May experiments be made with the unit? */
	bool (*is_wanted)(void *self, unsigned unit);
	/* Is it enough? Asked often. */
	bool (*is_over)(void *self);
	void (*say)(void *self, const char *note);
	void *self;
};

struct causal_outcome {
	uint64_t samples;  /* of all threads */
	uint64_t in_units; /* of these: in a unit */
	uint64_t visits;
	bool hopeless; /* given up: what hampers experiments does not end */
	bool is_over;  /* the process has ended, else it was let go */
	struct ending ending;
};

/*
 * Experiments are added to @ret as they are made. The process is let go at the end, and lives on if
 * it has not ended. ERR_TARGET; ERR_UNSUPPORTED: the kernel does not let us sample.
 */
bool causal_run(struct session *session, const struct causal_request *request,
		struct experiments *ret, struct causal_outcome *outcome, struct err *err);
