/* What the kernel counts, in frames and records: as metrics. */
#pragma once

#include "pads.h"

/* Bits of enum pad_count for the totals @metrics, and of the totals that these are. */
unsigned ring_counts_for(unsigned metrics);
unsigned ring_counts_metrics(unsigned counts);

/*
 * Set what counting a call adds to its time on a processor; takes some 100 µs. Returns the ns that
 * it takes at both ends.
 */
double ring_counts_calibrate(const struct tsc_clock *clock, unsigned counts,
			     struct pad_costs *costs);

/* This stop of @tracee is about to end: add to `aside` what it adds to the counts. */
void ring_counts_leave_out(struct tracee *tracee);

/* Around steps within a stop of @tracee: what they add is set aside. */
void ring_counts_steps_begin(const struct tracee *tracee, struct thread_counts *ret);
void ring_counts_steps_end(struct tracee *tracee, const struct thread_counts *before);

/*
 * The counts of @frame, which is chosen or adopted, for @call, which has or gets what callees are
 * to it. @own: the tracer has kept the call, its own numbers included.
 */
void ring_counts_take(struct tracee *tracee, const struct pad_frame *frame, bool own,
		      struct open_call *call);

/* The reverse; an adopted frame gets only zeros, as the tracer keeps them. */
void ring_counts_give(struct tracee *tracee, const struct open_call *call, struct pad_frame *frame);

/* The metrics of @record; @knows_callees: all that were measured. */
void ring_counts_record(const struct session *session, const struct pad_frame *record,
			bool knows_callees, struct value *metrics);
