/*
 * A call that has begun and not ended, and those of one thread. Private to trace/ and its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/metric.h"
#include "core/value.h"
#include "cost_state.h"
#include "trace/counters.h"

/* Where a branch led in a call. */
struct branch_outcome {
	unsigned number; /* as branches.c counts them */
	struct value value;
};

struct open_call {
	unsigned function;
	uint64_t cfa;
	uint64_t stack;     /* identity of the memory region that the frame lies in */
	uint64_t return_pc; /* waiting for a return to there, after a tail call; 0: not waiting */
	uint64_t tail_pc;   /* of a waiting call: where the tail call went */
	uint64_t
		/* its function was closed: it ends where it returns to. 0: it has its exits */
		kept_pc;
	bool outlived;           /* its function was closed since it began */
	uint64_t closings;       /* of all functions of its program, by then */
	uint64_t return_address; /* as the caller pushed it; 0: unknown */
	/* its first instruction was interrupted: its breakpoint will be hit again */
	bool restarted;
	bool moved;   /* it began in another thread */
	bool adopted; /* it had begun before: what is counted began when it was adopted */
	bool halted;  /* in its middle, for a prompt: what it waited for went on */
	int64_t adopted_at_most_ns; /* how long it had run by then at most */
	int64_t id, parent;
	uint64_t start_ns;               /* when the tracee was resumed */
	uint64_t stopped_ns;             /* what the tracee had spent in stops by then */
	uint64_t stops;                  /* and how many */
	struct value *features;          /* owned */
	struct branch_outcome *branches; /* that were seen, see branches.c; owned */
	size_t n_branches, branches_capacity;
	uint64_t branch_gaps; /* at its beginning */
	uint64_t far_stops;
	struct allocations_mark allocations;
	uint64_t cost_calls;       /* see cost_probes_mark() */
	double inner[METRIC_SUMS]; /* what measured callees that have ended cost */
	unsigned inner_unknown;    /* bits of metrics of which that is not known */
	/* What was counted of the tracee when it was resumed, and its switches for our sake. */
	struct thread_counts counts;
	uint64_t switches;
	struct locks_mark locks; /* when it began, if locks are of interest */
};

struct call_stack {
	struct open_call *calls;
	size_t n, capacity; /* `capacity` is private */
};
