/* What a call cost. */
#pragma once

#include "trace/state/engine.h"

/* Set *@ret's metrics for @call, which ends in this stop, and add it to the account. */
void call_metrics_end(struct tracee *tracee, struct open_call *call, struct call_record *ret);
/*
 * What its own calls cost by function, of @call after that: owned by the caller; NULL: not wanted,
 * or not known of all.
 */
struct callee_sums *call_metrics_callees(const struct tracee *tracee, struct open_call *call);
/*
 * What is left of a cost when others' is subtracted, which is known to @doubt: noise is 0, below
 * that it is a contradiction, and absent.
 */
struct value call_metrics_rest(double rest, double doubt);
/*
 * From the beginning of the open @call to this stop, in ns, without other stops; what it waited for
 * a processor is in it.
 */
double call_metrics_span_ns(const struct tracee *tracee, const struct open_call *call);
/*
 * Time in ns that the open @call has run, without stops and their cost. @now_ns: for a running
 * tracee.
 */
int64_t call_metrics_elapsed(const struct tracee *tracee, const struct open_call *call,
			     uint64_t now_ns);
/* @call of @stack will never end: its caller's own cost is unknown. */
void call_metrics_lost(struct call_stack *stack, const struct open_call *call);
