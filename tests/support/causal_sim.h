/*
 * A simulated program of several threads, each with a processor of its own, under causal
 * experiments: the truth that the accounting is held against. Times are in ns.
 */
#ifndef FATHOM_TESTS_CAUSAL_SIM_H
#define FATHOM_TESTS_CAUSAL_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/causal/causal_account.h"

enum { SIM_MS = 1000000, SIM_THREADS = 8, SIM_OBJECTS = 4 };

enum sim_kind {
	SIM_RUN,  /* code @what for @ns of processor time */
	SIM_LOCK, /* of object @what */
	SIM_SPIN, /* the same, but it runs code @ns until then, and nobody sees whom it waits for */
	SIM_UNLOCK,
	SIM_BARRIER, /* of @ns threads */
	SIM_PUSH,    /* into a queue of at most @ns; 0: of any size */
	SIM_POP,
	SIM_SLEEP,  /* for @ns */
	SIM_READ,   /* what an outsider gives every @ns */
	SIM_VISIT,  /* the progress point */
	SIM_ARRIVE, /* the arrival point */
};

struct sim_step {
	enum sim_kind kind;
	unsigned what;
	int64_t ns;
};

/* What a thread does over and over. */
struct sim_thread {
	const struct sim_step *steps;
	size_t n;
};

struct sim_experiment {
	struct sim_thread threads[SIM_THREADS];
	size_t n_threads;
	unsigned code;     /* that is to be faster */
	double speedup;    /* of it, by pauses */
	double really;     /* the same, by doing less: what is true */
	double arrival_ns; /* by which each arrival is to come earlier, by pauses */
	int64_t tick_ns;   /* how often threads are paused, and their debts looked at */
	bool in_step;      /* samples and ticks come as regularly as a real clock's */
	bool no_credit;    /* everybody pays for all, whatever they waited for */
	int64_t seconds;
};

struct sim_result {
	int64_t elapsed_ns, effective_ns;
	uint64_t visits, arrivals;
	bool balanced;
	int64_t off_ns; /* largest difference between threads */
};

struct sim_result sim_run(const struct sim_experiment *experiment);

/* What the program gains, in %: of the time between two visits. */
double sim_gain(const struct sim_experiment *experiment);

/*
 * The same by @pairs of experiments as causal_plan.h plans them, one after the other in one run of
 * the program; and of how many work was left over from one to the other, if arrivals come earlier.
 */
struct sim_pairs {
	double gain;
	unsigned left_over;
};
struct sim_pairs sim_pairs(const struct sim_experiment *experiment, unsigned pairs);

#endif
