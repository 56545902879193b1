/* A call's part of its thread's counters. */
#pragma once

#include "trace/state/engine.h"

/* @tracee has come to @stop, already counted in its stops. */
void call_counters_stop(struct tracee *tracee, const struct stop *stop);
/* @call, which began in this stop, starts as @tracee is about to be resumed. */
void call_counters_begin(struct tracee *tracee, struct open_call *call);
/* Read the counters in a stop that ends calls. */
void call_counters_end(struct tracee *tracee);
/*
 * The count of @metric, one of COUNTED_METRICS, for the ending @call; ABSENT_NOT_COUNTED after a
 * gap. Each stop is exactly one switch and no fault, so only time and hardware events include a
 * part of ours, which is calibrated.
 */
struct value call_counters_value(const struct tracee *tracee, const struct open_call *call,
				 enum metric metric);
