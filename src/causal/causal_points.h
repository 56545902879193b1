/*
 * Progress points as people name them: functions, whose returns are counted (where work begins or
 * arrives, their beginnings); lines (FILE:LINE), passing which is; and variables of the program,
 * which count for themselves.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/catalogue/catalogue.h"
#include "core/causal/experiment.h"
#include "trace/causal/causal_run.h"

struct causal_points_request {
	const char *path;            /* of the program */
	const char *debuginfo_path;  /* as in struct catalogue_request */
	const char *const *progress; /* [n_progress] */
	size_t n_progress;
	const char *latency; /* BEGIN,END; NULL: none */
	const char *arrival; /* NULL: none */
	bool pads;           /* may be: they count beginnings, else debug registers do */
};

struct causal_points {
	struct catalogue *catalogue;   /* functions whose returns are counted; to destroy */
	struct causal_progress *names; /* [n] */
	struct causal_aim *aims;       /* [n] */
	size_t n;
	int arrival; /* index of that of the request; -1: none */
	uint64_t addrs[CAUSAL_ADDRESSES_MAX];
	size_t n_addrs;
	unsigned begins[CAUSAL_FUNCTIONS_MAX]; /* functions whose beginnings are counted */
	size_t n_begins;
	struct read_plan *counters; /* [n_counters] of variables */
	size_t n_counters;
	struct plan_runner *runner; /* to destroy */
};

/*
 * All but what is to be destroyed is in @arena. ERR_USAGE: a point that names several things;
 * ERR_NOT_FOUND: nothing; ERR_UNSUPPORTED: what cannot be counted, with the reason.
 */
bool causal_points_find(const struct causal_points_request *request, struct arena *arena,
			struct causal_points *ret, struct err *err);
void causal_points_deinit(struct causal_points *points);

/* The value of the variable @counter of process @pid. False: it cannot be read. */
bool causal_points_read(const struct causal_points *points, unsigned counter, pid_t pid,
			uint64_t load_bias, double *ret);
