/*
 * What the engine keeps for the metrics mem, peak, wait and hold. Private to trace/ and its tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <uthash.h>

struct breakpoint;
struct cost_function;
struct heap_thread;
struct withheld_call;

enum { COST_ARGUMENTS = 4 };

/* A block; see heap.h. */
struct heap_block {
	uint64_t address;
	uint64_t size;
	uint64_t number;
	pid_t thread;                       /* that allocated it */
	struct heap_block *previous, *next; /* of its thread */
	struct heap_block *previous_mapped, *next_mapped;
	bool mapped;
	UT_hash_handle hh;
};

struct heap {
	struct heap_block *blocks; /* by address */
	struct heap_block *mapped; /* those */
	struct heap_thread *threads;
	uint64_t last; /* number of the last block */
	uint64_t lost; /* blocks for which there was no room */
	size_t max;    /* 0: HEAP_BLOCKS_MAX */
};

/* What a call keeps of the blocks that its thread has allocated since it began. */
struct heap_scope {
	uint64_t since;      /* the last block before it */
	uint64_t lost;       /* so many had been lost by then */
	uint64_t live, peak; /* bytes */
};

/* Of a thread: what it has allocated so far, while measured calls were open. */
struct allocations {
	uint64_t bytes;
};

/* Of an open call: what the thread had by then. */
struct allocations_mark {
	uint64_t bytes;
	bool inside; /* it began in a cost call, whose parts do not count */
	struct heap_scope scope;
};

/* See locks.h. */
struct held_lock {
	uint64_t object;
	unsigned count; /* times it was taken: recursive mutexes, readers */
};

struct locks {
	bool watched;
	bool known;             /* nothing was held when that began */
	bool muddled;           /* what is held is not known until it is watched anew */
	struct held_lock *held; /* in no order; owned */
	size_t n_held, capacity;
	int64_t waited_ns;
	int64_t held_ns;       /* before `held_since_ns` */
	int64_t held_since_ns; /* while n_held > 0 */
	bool proven;
	int64_t proven_ns;      /* while proven: a lock was held from the beginning until then */
	int64_t proven_held_ns; /* what the sum was then */
	unsigned doubts_of_wait, doubts_of_hold;
};

/* The sums of a thread's locks at a moment. */
struct locks_mark {
	int64_t clock_ns;
	int64_t waited_ns, held_ns;
	unsigned doubts_of_wait, doubts_of_hold;
	bool muddled;
};

/* The lock calls of one tracee. All zero: it is not watched. */
struct lock_calls {
	struct locks locks;
	struct withheld_call *withheld; /* in the order in which they ended; owned */
	size_t n_withheld, capacity;
	unsigned operations_left; /* while it lingers */
};

/* The open cost call of a tracee. */
struct cost_call {
	const struct cost_function
		*function; /* NULL: there is none; the rest is true while there is */
	uint64_t arguments[COST_ARGUMENTS];
	uint64_t cfa;
	uint64_t return_address;
	bool began;          /* in the current stop: its clock starts at the resume */
	uint64_t start_ns;   /* when the tracee was resumed */
	uint64_t stopped_ns; /* what the tracee had spent in stops by then */
	uint64_t stops;      /* and how many */
	unsigned period;     /* of the probes */
	uint64_t note;       /* of who is told, from the beginning to the end */
};

/* The probes of a cost function that is mapped. */
struct cost_probe {
	const struct cost_function *function;
	struct breakpoint *entry;
	struct breakpoint **exits; /* as many as the function has */
	bool exits_planted;
};

/* Of an inferior; see cost_probes.h. */
struct cost_probes {
	struct cost_probe **list; /* owned, and so are the probes */
	size_t n, capacity;
	struct breakpoint **planted; /* beside the entries */
	size_t n_planted, planted_capacity;
	bool open;
	unsigned period; /* counts when they are lifted: a cost call of an earlier time was lost */
	bool suspended;  /* they have cost too much: not planted before the governor's next cycle */
	uint64_t gaps;   /* counts when that happens: what calls of before cost is not known */
	unsigned failed; /* bits of totals: a function that matters for them could not be probed */
};
