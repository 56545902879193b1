/*
 * What of a thread's counters is a call's. Private to trace/ and its tests.
 */
#pragma once

#include "trace/state/engine.h"

/* @tracee, whose stops include it, has come to @stop. */
void call_counters_stop(struct tracee *tracee, const struct stop *stop);
/* It is about to be resumed, and @call, which began in this stop, starts. */
void call_counters_begin(struct tracee *tracee, struct open_call *call);
/* Calls end in this stop. */
void call_counters_end(struct tracee *tracee);
/*
 * What was counted of @metric, one of COUNTED_METRICS, for @call of @tracee, which ends. Each stop
 * is a switch, neither more nor less, and none is a fault: so only time and hardware events have a
 * part of ours in them, which is to be calibrated.
 */
struct value call_counters_value(const struct tracee *tracee, const struct open_call *call,
				 enum metric metric);
