/*
 * Lock calls: the metrics `wait` and `hold`; what a tracee's lock operations mean for its measured
 * calls.
 *
 * A thread is watched (see locks.h) from its first open call on, and for a while after the last has
 * ended: it *lingers*. Only the release of a lock shows that it was held during the calls, and that
 * may come later. So calls of a thread whose locks are unknown are *withheld*, until a lock proves
 * to have been held, or the thread ends, or LINGER_OPERATIONS more follow its last call, or
 * LINGER_NS have passed since the call's end (seen at the next stop of any thread), or other
 * threads were stopped LINGER_HITS times because of lingering ones, or WITHHELD_MAX more calls have
 * ended in the thread. Then what was seen counts: a lock taken before the call and released later
 * than that is missed. A thread born while the probes were planted has known locks for as long as
 * they stay.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/catalogue/cost_call.h"
#include "core/metric.h"
#include "core/value.h"

struct inferior;
struct locks_mark;
struct open_call;
struct session;
struct tracee;

/* Are calls of @kind lock operations, or waits? */
bool lock_calls_has(enum cost_call_kind kind);
/* Must cost calls of @kind of @tracee be passed on even without an open call? */
bool lock_calls_matter(const struct tracee *tracee, enum cost_call_kind kind);
/* @tracee was just born; its operations will be seen. */
void lock_calls_born(struct tracee *tracee);
/* Probes are lifted: operations of all threads will be missed. */
void lock_calls_lifted(struct inferior *inferior);
/* @tracee, without an open call, was stopped because of lingering threads. */
void lock_calls_disturb(const struct tracee *tracee);
/* Does a thread without open calls need the probes? */
bool lock_calls_linger(const struct inferior *inferior);

/* For cost_calls.c: of @tracee's open cost call. */
void lock_calls_operation_begins(struct tracee *tracee);
void lock_calls_operation_ends(struct tracee *tracee);
void lock_calls_operation_lost(struct tracee *tracee);

/* Is @metric, one of these, known there? If not, that is said. */
bool lock_calls_known(struct inferior *inferior, enum metric metric);

/* @call begins in this stop. */
void lock_calls_begin(struct tracee *tracee, struct open_call *call);
/* The wait or hold in µs of @call, which took @time and ends in this stop. */
struct value lock_calls_cost(const struct tracee *tracee, const struct open_call *call,
			     enum metric metric, struct value time);
/* @call has ended, was removed from the open ones and queued last; it may be withheld. */
void lock_calls_end(struct tracee *tracee, const struct open_call *call);

/* The same at @now_ns for one that pads followed: @call as far as `hold` needs it, and its end. */
void lock_calls_end_followed(struct tracee *tracee, const struct open_call *call,
			     const struct locks_mark *end, uint64_t now_ns);

/* Report calls withheld for too long, or all of them. */
void lock_calls_tell_all(struct session *session);
void lock_calls_expire(struct session *session, uint64_t now_ns);
/* @tracee or its program is gone. */
void lock_calls_forget(struct tracee *tracee);
