/*
 * What pads have noted of transfers (see struct pad_event), as what trace/cost knows of a thread's
 * calls, and back.
 */
#pragma once

#include "pads.h"

/* The bits of the totals that pads measure so. */
unsigned ring_streams_metrics(void);

/* Take an event of @tracee, in their order; others than those of calls and transfers are none. */
void ring_streams_event(struct tracee *tracee, const struct pad_event *event);

/* As of ring_costs.h, at @now by the thread's own clock. */
void ring_streams_take(struct tracee *tracee);
void ring_streams_give(struct tracee *tracee, uint64_t now);

/*
 * `remote` and the messages into @call, which has become a record with @id; the events until then
 * were taken.
 */
void ring_streams_record(struct tracee *tracee, int64_t id, struct call_record *call);
