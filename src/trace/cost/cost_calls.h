/*
 * Cost calls of threads: where they begin and end, and who is told.
 *
 * A thread has one cost call at most: what it calls on the way (operator new: malloc) is a part of
 * it, but for an operation on a lock that an allocation makes. Hits of threads without an open
 * measured call are passed, but for those that say what becomes of blocks of others. A cost call
 * whose frame is gone (an exception, longjmp) is lost when the thread's next one begins, if not
 * before.
 *
 * Who owns a metric is told by the functions at the beginning of cost_calls.c: of the heap
 * allocations.c.
 */
#pragma once

#include "cost_probes.h"

struct breakpoint;
struct inferior;
struct tracee;

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

/* The code of @module is gone: open cost calls of it will not end. Before its probes go. */
void cost_calls_module_goes(struct inferior *inferior, unsigned module);
/* Another catalogue, as in cost_probes_replace(); before that. */
void cost_calls_replace(struct inferior *inferior, find_cost_function *find, void *self);

/*
 * @tracee, which is stopped, is about to go on: plant or lift probes, as measured calls have opened
 * or ended.
 */
void cost_calls_settle(struct tracee *tracee);

/* Does @function, a call of which begins at @cfa, run within the open allocation of @tracee? */
bool cost_calls_allocate(const struct tracee *tracee, const struct function *function,
			 uint64_t cfa);
