/*
 * What a call cost. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/*
 * What the call of @tracee cost that ends in this stop; *@ret's metrics, and its share of the
 * account.
 */
void call_metrics_end(struct tracee *tracee, struct open_call *call, struct call_record *ret);
/*
 * How long the open @call of @tracee has run, in ns, without stops and what they cost. @now_ns: if
 * the tracee runs.
 */
int64_t call_metrics_elapsed(const struct tracee *tracee, const struct open_call *call,
			     uint64_t now_ns);
/* @call of @stack will never end: what its caller costs without it is not known. */
void call_metrics_lost(struct call_stack *stack, const struct open_call *call);
