/*
 * What pads of functions that lock have noted, as what trace/cost knows of a thread, and back. Sums
 * of both only grow: they are compared with those of the last time.
 */
#pragma once

#include "pads.h"

/* The bits of the totals that pads measure so. */
unsigned ring_locks_metrics(void);

/* @tracee has a new block: from now on all of its operations are seen. */
void ring_locks_begin(struct tracee *tracee);

/* The block of the stopped @tracee was read, at its own time @now. Before its frames are taken. */
void ring_locks_take(struct tracee *tracee, uint64_t now);
/* Set the marks of @call, which @frame is of, and add what callees cost. */
void ring_locks_take_call(const struct tracee *tracee, const struct pad_frame *frame,
			  struct open_call *call);
void ring_locks_take_callees(const struct tracee *tracee, const struct pad_frame *frame,
			     struct open_call *call);

/* The reverse: of its block, before frames are given at its own time @now; and of a frame. */
void ring_locks_give(struct tracee *tracee, uint64_t now);
void ring_locks_give_call(const struct tracee *tracee, const struct open_call *call,
			  struct pad_frame *frame);

/* Is what @call has held or waited more than a frame can tell? */
bool ring_locks_keeps(const struct tracee *tracee, const struct open_call *call);

/* The metrics of a record, of which the time is known. */
void ring_locks_record(const struct tracee *tracee, const struct pad_frame *record,
		       bool knows_callees, struct value *metrics);

/* The call of @record was queued last: it may have to wait until what the thread holds is known. */
void ring_locks_withhold(struct tracee *tracee, const struct pad_frame *record);

/*
 * The stopped @tracee is about to be resumed: have the clocks of those that wait for what it holds
 * stand still for its stop. Returns the time at which that was done; 0: nobody waits.
 */
uint64_t ring_locks_delay(struct tracee *tracee);
