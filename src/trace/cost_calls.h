/*
 * Cost calls of threads: where they begin and end, and who is told.
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

#include "trace/cost_probes.h"

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

/* @tracee went on at @resumed_ns. */
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
