/*
 * Open calls of one tracee, innermost last, and how calls are matched to their ends.
 *
 * A call is known by its CFA. Stacks grow down, so of two open frames on one stack the inner one
 * has the lower CFA; a frame whose CFA is below that of a frame that begins or ends now is gone, by
 * an exception or longjmp, if both are on one stack. Signal handlers and coroutines run on others,
 * which may even lie in the same memory region. So such a call is only suspected: it is gone for
 * sure when its return address was overwritten or its frame is used again, and a suspected call
 * that ends after all is a call like any other.
 *
 * A call that leaves by a tail call stays open, waiting, until its return address is reached. So does one
 * whose function is closed while it is open: it is kept, its frame is still its own. Pure data: nothing here touches the inferior.
 */
#ifndef FATHOM_TRACE_CALL_STACK_H
#define FATHOM_TRACE_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/metric.h"
#include "core/value.h"
#include "trace/locks.h"
#include "trace/allocations.h"
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
		kept_pc; /* its function was closed: it ends where it returns to. 0: it has its exits */
	bool outlived;           /* its function was closed since it began */
	uint64_t closings;       /* of all functions of its program, by then */
	uint64_t return_address; /* as the caller pushed it; 0: unknown */
	bool restarted; /* its first instruction was interrupted: its breakpoint will be hit again */
	bool moved;     /* it began in another thread */
	bool adopted;   /* it had begun before: what is counted began when it was adopted */
	bool halted;    /* in its middle, for a prompt: what it waited for went on */
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

void call_stack_deinit(struct call_stack *stack);

/* What a hit of a function's entry breakpoint means. */
enum entry_kind {
	ENTRY_NEW,   /* a call begins */
	ENTRY_AGAIN, /* a loop, or endless tail calls: the open call goes on */
};
enum entry_kind call_stack_entry(struct call_stack *stack, unsigned function, uint64_t cfa,
				 bool probe_in_loop);

/* Is @call suspected to be gone when a frame at @cfa on @stack begins or ends? */
bool call_stack_suspects(const struct open_call *call, uint64_t cfa, uint64_t stack);

/* The innermost call of @function with @cfa; NULL if there is none. */
struct open_call *call_stack_find(struct call_stack *stack, unsigned function, uint64_t cfa);

/*
 * The innermost call that waits for a return to @pc, or whose end is kept there, with the stack pointer at @cfa; NULL if there
 * is none.
 */
struct open_call *call_stack_find_waiting(struct call_stack *stack, uint64_t pc, uint64_t cfa);

/*
 * The innermost call that is not suspected when a frame at @cfa on @where begins: its caller. NULL:
 * none.
 */
struct open_call *call_stack_caller(struct call_stack *stack, uint64_t cfa, uint64_t where);

struct open_call *call_stack_push(struct call_stack *stack, const struct open_call *call);

/* The same, with @at calls outside of it. */
struct open_call *call_stack_insert(struct call_stack *stack, const struct open_call *call,
				    size_t at);

/* Remove @call; its features and branches belong to the caller now. */
void call_stack_remove(struct call_stack *stack, struct open_call *call);

#endif
