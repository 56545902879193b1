/* A causal profile as options ask for it: the program, its points, units and experiments. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "causal_points.h"
#include "causal_units.h"
#include "cli/options.h"
#include "cli/signal_forward.h"

struct recovery;

struct causal_profile {
	const struct options *options;
	struct recovery *guard; /* of an attached process; NULL: launched */
	struct arena *arena;
	const char *path;
	pid_t attached; /* 0: launched */
	struct causal_scope scope;
	double *speedups; /* [n_speedups] the only ones; NULL: many */
	size_t n_speedups;
	double *earlier_ns; /* as in struct causal_request */
	double fixed;       /* storage of the speedup of --fixed */
	struct causal_points points;
	struct causal_units *units;
	struct experiments *experiments;
	int load_unit; /* CAUSAL_NO_UNIT: units of code are tried */
	struct session *session;
	struct signal_forward forwarder;
	struct causal_outcome outcome;
	bool *precise; /* [n_precise] units that need no more experiments than others do */
	size_t n_precise, n_judged;
};

/* All of the program that can be known before it runs. ERR_USAGE, and errors of reading it. */
bool causal_profile_open(struct causal_profile *profile, struct err *err);

/* Experiment until it has ended, somebody has enough, or there is no hope. ERR_TARGET, …. */
bool causal_profile_run(struct causal_profile *profile, struct err *err);

/* Wait for a launched program that goes on. */
void causal_profile_wait(struct causal_profile *profile);
void causal_profile_close(struct causal_profile *profile);
