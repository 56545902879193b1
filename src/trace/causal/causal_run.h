/*
 * Causal experiments with the processes of a session, until the first one ends or somebody has
 * enough. The session measures the functions whose returns are counted, and is launched or attached
 * with session_options.apart.
 */
#pragma once

#include "base/err.h"
#include "causal_threads.h"
#include "core/causal/experiment.h"
#include "core/run.h"
#include "trace/session.h"

/* A unit is worth experiments from this share of samples on. */
#define CAUSAL_WORTH 0.01

/* No more of the time between arrivals can be taken away: hardly anything but pauses is left. */
#define CAUSAL_EARLIER_MOST 0.95

/* Something that is counted. */
struct causal_point {
	enum { CAUSAL_RETURNS, CAUSAL_PASSES, CAUSAL_COUNTER } kind;
	unsigned function; /* RETURNS: of this function of the session's catalogue */
	/* PASSES: of these of the request's addresses, or behind CAUSAL_ADDRESSES_MAX, functions */
	size_t first, places;
	/* COUNTER: the program's own, told by read_counter(), whose number it is. */
	unsigned counter;
};

/* What the table of experiments calls a progress. */
struct causal_aim {
	struct causal_point begin, end; /* without latency only `begin` */
	bool latency;
};

/* One experiment that is as long as the process. */
struct causal_trial {
	int unit; /* CAUSAL_NO_UNIT: none, samples are taken only */
	unsigned pair;
	double speedup; /* 0: without */
};

struct causal_request {
	const struct causal_aim *aims; /* as many as the table has progress */
	const uint64_t *addrs;         /* [n_addrs] link-time, of the program */
	size_t n_addrs;                /* at most CAUSAL_ADDRESSES_MAX */
	const unsigned *begins;        /* [n_begins] of the session's catalogue, with pads */
	size_t n_begins;               /* at most CAUSAL_FUNCTIONS_MAX */
	const double *speedups;        /* [n_speedups] those that are tried; NULL: many */
	size_t n_speedups;
	/*
	 * [n_speedups] not 0: in place of that speedup, by how much earlier work is to arrive;
	 * NULL: none.
	 */
	const double *earlier_ns;
	const struct causal_trial *trial; /* NULL: experiments as they come */
	/*
	 * With an arrival: the unit of the table that is tried, which makes work come earlier; else
	 * CAUSAL_NO_UNIT.
	 */
	int load_unit;
	uint64_t seed;
	/* The unit of a sample: its index in the table, to which it may have been added. */
	int (*unit_of)(void *self, const struct causal_sample *sample);
	/* May experiments be made with the unit? */
	bool (*is_wanted)(void *self, unsigned unit);
	/* Of a process of the program; false: it cannot be read. */
	bool (*read_counter)(void *self, pid_t process, unsigned counter, double *ret);
	/* Is it enough? Asked often. */
	bool (*is_over)(void *self);
	void (*say)(void *self, const char *note);
	void *self;
};

/* Zero at first; sums over runs. */
struct causal_outcome {
	uint64_t samples;   /* of all threads */
	uint64_t in_units;  /* of these: in a unit */
	uint64_t period_ns; /* between arrivals in the thread that has most; 0: unknown */
	/* Of the last experiment without processors enough. */
	double runnable, free;
	/*
	 * How long threads ran between two waits for each other while nothing was as if faster; 0:
	 * unknown.
	 */
	uint64_t between_ns;
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
