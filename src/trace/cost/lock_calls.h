/*
 * Lock calls: the metrics `wait` and `hold`; what the operations on locks that a tracee makes mean
 * for its measured calls.
 *
 * A thread is watched (see locks.h) from the beginning of its first open call on, and for a while
 * after the last one has ended: it *lingers*. What tells that the calls were made under a lock is
 * that it is released, and that may come later. So calls of a thread of which it is not known what
 * it held are *withheld*. They are told when it is proven that a lock was held; or else when
 * - the thread has made LINGER_OPERATIONS more since its last call, or has ended,
 * - LINGER_NS are over since the end of the call, which is seen at the next stop of anybody,
 * - other threads were stopped LINGER_HITS times for the sake of those that linger,
 * - WITHHELD_MAX have ended in the thread since. Then what was seen counts, so a lock that was
 *   taken before the call and is released later than that is missed. A thread that was born while
 *   the probes were planted is known for as long as they are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/catalogue/cost_call.h"
#include "core/metric.h"
#include "core/value.h"

struct inferior;
struct open_call;
struct session;
struct tracee;

/* Are calls of @kind operations on locks, or waits? */
bool lock_calls_has(enum cost_call_kind kind);
/* Must cost calls of @kind of @tracee be told, even if no call of it is open? */
bool lock_calls_matter(const struct tracee *tracee, enum cost_call_kind kind);
/* @tracee was just born, and its operations are told from now on. */
void lock_calls_born(struct tracee *tracee);
/* Nobody's operations are told any more: the probes are lifted. */
void lock_calls_lifted(struct inferior *inferior);
/* No call is open, and @tracee was stopped for the sake of threads that linger. */
void lock_calls_disturb(const struct tracee *tracee);
/* Is there a thread without open calls for whose sake the probes must stay? */
bool lock_calls_linger(const struct inferior *inferior);

/* For cost_calls.c: of the open cost call of @tracee. */
void lock_calls_operation_begins(struct tracee *tracee);
void lock_calls_operation_ends(struct tracee *tracee);
void lock_calls_operation_lost(struct tracee *tracee);

/* @call begins in this stop. */
void lock_calls_begin(struct tracee *tracee, struct open_call *call);
/* What @call, which ends in this stop and took @time, has waited or held, in µs. */
struct value lock_calls_cost(const struct tracee *tracee, const struct open_call *call,
			     enum metric metric, struct value time);
/* @call has ended and was queued last, and was removed from the open ones; it may be withheld. */
void lock_calls_end(struct tracee *tracee, const struct open_call *call);

/* Tell what was withheld for too long, or whatever is. */
void lock_calls_tell_all(struct session *session);
void lock_calls_expire(struct session *session, uint64_t now_ns);
/* @tracee is gone, or its program. */
void lock_calls_forget(struct tracee *tracee);
