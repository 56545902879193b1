/*
 * Requests that a thread has received and not answered. Servers may read in a loop and then call
 * what works for it: what was received while no measured call was open belongs to the next
 * outermost calls that begin in the thread until it answers, and to each that answers one. So does
 * what a call received itself, to those after it. If there are several then nobody knows which one
 * a call works for, unless it answers one of them itself. Only connections count that this end has
 * accepted: what arrives at the other end answers something.
 */
#pragma once

#include <stdint.h>

#include "trace/state/cost_state.h"

struct tracee;

/* @tracee's transfer of @n bytes has ended, and its open calls were told. */
void requests_transferred(struct tracee *tracee, uint64_t n);

/* The outermost call in @tracee begins, and @of is what it transfers. */
void requests_begin_call(struct tracee *tracee, struct transfers *of);
/*
 * A call transfers something on a connection: what had arrived there before is what @of serves, if
 * it serves nothing else for certain, and, if it receives more, no other call works for it.
 */
void requests_settle(const struct tracee *tracee, struct transfers *of);

/* Add @n bytes at @at, which are in @stream from @from on. */
void requests_extend(struct message *message, const struct stream_position *at, uint64_t stream,
		     uint64_t from, uint64_t n);
