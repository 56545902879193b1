/*
 * Cost calls: calls of C and C++ library functions that allocate, lock, send or receive, traced for
 * a metric while a measured call is open. dwarf/ finds them by the names of their symbols; in the
 * same way it finds those through which calls are left without a return, which are traced for every
 * metric (trace/call/non_local_exits.h).
 */
#pragma once

#include <stdbool.h>

#include "core/metric.h"

/* What a cost call means, by its arguments (in the ABI's order) and its result. */
enum cost_call_kind {
	COST_ALLOCATE,         /* (size): a block, or null */
	COST_ALLOCATE_ARRAY,   /* (n, size): the same */
	COST_ALLOCATE_ALIGNED, /* (alignment, size): the same */
	COST_ALLOCATE_INTO,    /* (where to put the block, alignment, size): 0 or an error number */
	COST_REALLOCATE,       /* (block, size): a block, or null and the old one stays */
	COST_REALLOCATE_ARRAY, /* (block, n, size): the same */
	COST_FREE,             /* (block); its end is not traced */
	COST_MAP,              /* (address, size, protection, flags): an address, or -1 */
	COST_UNMAP,            /* (address, size): 0, or -1 */
	COST_LOCK_TAKE,        /* (lock): 0 or an error number, like all below */
	COST_LOCK_TAKE_SPIN,   /* (lock): its first instruction may start a loop */
	COST_LOCK_TRY,         /* (lock) */
	COST_LOCK_RELEASE,     /* (lock): of a mutex or a reader-writer lock */
	COST_LOCK_RELEASE_SPIN, /* (lock) */
	COST_CONDITION_WAIT,    /* (condition, mutex) */
	COST_SEMAPHORE_WAIT,    /* (semaphore) */
	COST_SEND,              /* (descriptor): what it sent, or -1 */
	COST_RECEIVE,           /* (descriptor): what it received, or -1 */
	/* The unwinder; its exits lead into the frame that goes on. */
	COST_UNWIND,        /* (exception) */
	COST_UNWIND_FORCED, /* (exception, decides where to stop, its argument) */
	COST_JUMP,          /* longjmp and its like: (buffer, value) */
	COST_CHANGE,        /* execve and its like; prctl, which may forbid system calls */
	COST_KIND_COUNT,
};

/* The kind of the function with symbol @name; COST_KIND_COUNT: not a cost call. */
enum cost_call_kind cost_call_kind(const char *name);

/* Is it one of those that send or receive several messages, and give their number, not bytes? */
bool cost_call_gives_messages(const char *name);

/*
 * Do the totals with the bits @totals need calls of @kind? @mappings: count anonymous memory as
 * heap.
 */
bool cost_call_is_wanted(enum cost_call_kind kind, unsigned totals, bool mappings);

/* Is it one through which calls are left? */
bool cost_call_leaves(enum cost_call_kind kind);

/* Is it such a one, or another that is only looked at where it begins? */
bool cost_call_is_hooked(enum cost_call_kind kind);

/* The bits of the totals that need cost calls. */
unsigned cost_call_metrics(void);
