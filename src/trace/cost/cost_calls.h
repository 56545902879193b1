/*
 * Cost calls of threads: finding their beginnings and ends, and passing them on.
 *
 * A thread has at most one cost call: calls made by it (operator new: malloc) are parts of it,
 * except a lock operation within an allocation. Hits in threads without an open measured call are
 * skipped, unless they concern other threads' blocks, or are transfers. A cost call whose frame is
 * gone (exception, longjmp) is lost when the thread's next one begins, at the latest.
 *
 * The functions at the top of cost_calls.c dispatch to allocations.c, lock_calls.c, transfers.c.
 */
#pragma once

#include "cost_probes.h"

struct breakpoint;
struct inferior;
struct cost_function;
struct tracee;

/* The catalogue's cost function @number, from 1; NULL: there is none. */
const struct cost_function *cost_calls_numbered(const struct tracee *tracee, uint64_t number);

/* @tracee was resumed at @resumed_ns. */
void cost_calls_start_clock(struct tracee *tracee, uint64_t resumed_ns);

/* @tracee hit @breakpoint: end a cost call, before measured calls end or begin. */
void cost_calls_end(struct tracee *tracee, struct breakpoint *breakpoint);
/* Begin one, after that. */
void cost_calls_begin(struct tracee *tracee, const struct breakpoint *breakpoint);
/* Undo that: @breakpoint will be hit again. */
void cost_calls_take_back(struct tracee *tracee, const struct breakpoint *breakpoint);
/* The ends of @tracee's open cost calls will be missed. */
void cost_calls_lose(struct tracee *tracee);
/* Of those that began after @start_ns: the call around them has ended. */
void cost_calls_lose_since(struct tracee *tracee, uint64_t start_ns);

/* Open cost calls of the unmapped @module will not end. Call this before its probes go. */
void cost_calls_module_goes(struct inferior *inferior, unsigned module);
/* For a new catalogue; call this before cost_probes_replace(). */
void cost_calls_replace(struct inferior *inferior, find_cost_function *find, void *self);

/* Before @tracee is resumed: plant or lift probes, as measured calls have begun or ended. */
void cost_calls_settle(struct tracee *tracee);

/* Does a call of @function that begins at @cfa run within @tracee's open allocation? */
bool cost_calls_allocate(const struct tracee *tracee, const struct function *function,
			 uint64_t cfa);
