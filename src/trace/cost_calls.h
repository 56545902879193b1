/*
 * Cost calls of threads: when their probes are planted, where they begin and end, and who is told.
 *
 * Probes are planted when the first measured call opens in an inferior, and lifted when the last one has ended; only
 * then, so that the rest of the program is not slowed down. That happens when a tracee goes on, so that all of it
 * is time in stops. Entries are planted at once; returns of a function when it is entered for the first time
 * meanwhile. Of a function that can be left by jumps it is the address that a call returns to.
 *
 * A thread has one cost call at most: what it calls on the way (operator new: malloc) is a part of it, but for an
 * operation on a lock that an allocation makes. Hits of
 * threads without an open measured call are passed, but for those that say what becomes of blocks of others. A cost
 * call whose frame is gone (an exception, longjmp) is lost when the thread's next one begins, if not before.
 *
 * Who owns a metric is told by the functions at the end of cost_calls.c: of the heap allocations.c.
 */
#ifndef FATHOM_TRACE_COST_CALLS_H
#define FATHOM_TRACE_COST_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/catalogue.h"

struct breakpoint;
struct inferior;
struct tracee;

enum { COST_ARGUMENTS = 4 };

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

/* Of an inferior. */
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

/* @module is mapped: prepare the probes of its cost functions. What goes wrong is a note. */
void cost_calls_module_comes(struct inferior *inferior, pid_t tid, unsigned module);
/* What lies in [low, high) is gone; its breakpoints are about to be forgotten. */
void cost_calls_module_goes(struct inferior *inferior, uint64_t low, uint64_t high);
/* @copy is a fork child with a breakpoint table of its own. */
void cost_calls_copy(const struct inferior *inferior, struct inferior *copy);
void cost_calls_forget(struct inferior *inferior);

/* Lift them, when @inferior's tracee goes on, until they are resumed. */
void cost_calls_suspend(struct inferior *inferior);
void cost_calls_resume(struct inferior *inferior);
/* What a call that begins now keeps, and whether all of its cost calls were noticed. */
uint64_t cost_calls_mark(const struct inferior *inferior);
bool cost_calls_noticed(const struct inferior *inferior, uint64_t mark);

/* Are the cost functions that matter for @metric known and probed? Of a heap malloc() must be. */
bool cost_calls_known(const struct inferior *inferior, enum metric metric);

/* @tracee, which is stopped, is about to go on: plant or lift, as measured calls have opened or ended. */
void cost_calls_settle(struct tracee *tracee);
/* It went on at @resumed_ns. */
void cost_calls_start_clock(struct tracee *tracee, uint64_t resumed_ns);

/* @tracee hit @breakpoint: a cost call ends; this comes before measured calls end or begin. */
void cost_calls_end(struct tracee *tracee, const struct breakpoint *breakpoint);
/* One begins; this comes after. */
void cost_calls_begin(struct tracee *tracee, const struct breakpoint *breakpoint);
/* It has not begun: @breakpoint, where it was to, will be hit again. */
void cost_calls_take_back(struct tracee *tracee, const struct breakpoint *breakpoint);
/* The ends of the open cost calls of @tracee, if there are any, will not be seen. */
void cost_calls_lose(struct tracee *tracee);
/* Of those that began after @start_ns: what they are within has ended. */
void cost_calls_lose_since(struct tracee *tracee, uint64_t start_ns);

/* Is a frame at @cfa, where a function other than @function (NULL is fine) begins, within the open cost call of @tracee? */
bool cost_calls_contain(const struct tracee *tracee, const struct cost_function *function,
			uint64_t cfa);

/* How long the open cost call of @tracee ran until the current stop, without stops and what they cost. */
int64_t cost_calls_run_ns(const struct tracee *tracee);

#endif
