/* A call that has begun and not ended, and the stack of such calls of one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/metric.h"
#include "core/value.h"
#include "cost_state.h"
#include "trace/counters.h"

struct callee_sums; /* trace/session.h */

/* Where a branch led in a call. */
struct branch_outcome {
	unsigned number; /* counted by branches.c */
	struct value value;
};

struct open_call {
	unsigned function;
	uint64_t cfa;
	uint64_t stack;     /* identity of its stack, see stack_regions.h */
	uint64_t return_pc; /* where a call that tail-called waits for its end; 0: not waiting */
	uint64_t tail_pc;   /* of such a call: where the tail call went */
	bool unplanted;     /* there is no breakpoint: what returns from its frame ends it */
	uint64_t kept_pc;   /* where a call of a closed function ends; 0: at an exit */
	bool outlived;      /* its function was closed since it began */
	uint64_t closings;  /* image.closings when it began */
	uint64_t return_address; /* pushed by the caller; 0: unknown */
	/* interrupted at its first instruction, which will hit again */
	bool restarted;
	bool moved;                 /* began in another thread */
	bool adopted;               /* began before it was seen: counts start at its adoption */
	bool told;                  /* a prompt knows that it began */
	bool awaited;               /* a prompt waits for its end: it ends by a stop */
	bool halted;                /* halted by a prompt: what it waited for went on */
	int64_t adopted_at_most_ns; /* maximum age at adoption */
	int64_t id, parent;
	uint64_t before;                 /* calls of its function before it */
	uint32_t rank;                   /* as in struct call_record */
	uint64_t limit;                  /* of the ranks, when it began */
	bool left_out;                   /* by its rank: counted, not measured further */
	uint64_t frame;                  /* its address in the thread's block; 0: it has none */
	double frame_inner;              /* inner[METRIC_TIME] there */
	uint64_t frame_own;              /* as in struct pad_frame, when it was read */
	size_t frame_branches;           /* and how many had been reached */
	uint64_t start_ns;               /* the tracee's resume, or the end of a pad */
	uint64_t stopped_ns;             /* its time in stops until then */
	uint64_t stops;                  /* and their number */
	bool by_pad;                     /* a pad began it: no stop has */
	struct value *features;          /* owned */
	struct branch_outcome *branches; /* reached so far, see branches.c; owned */
	size_t n_branches, branches_capacity;
	uint64_t branch_gaps; /* when it began */
	uint64_t far_stops;
	struct allocations_mark allocations;
	uint64_t cost_calls;         /* see cost_probes_mark() */
	double inner[METRIC_SUMS];   /* sums of measured callees that ended */
	unsigned inner_unknown;      /* bits of metrics for which these are unknown */
	struct callee_sums *callees; /* the same by function, if wanted; NULL: none yet; owned */
	bool callees_lost;           /* some are not in there */
	bool callees_changed;        /* since it came from its frame */
	/* Counters at the resume, and switches that our stops caused. */
	struct thread_counts counts;
	uint64_t switches;
	struct locks_mark locks; /* when it began, if locks are measured */
	struct transfers transfers;
};

struct call_stack {
	struct open_call *calls;
	size_t n, capacity; /* capacity is private */
	bool is_mixed;      /* private: an inner call has the higher CFA, see call_stack.c */
};
