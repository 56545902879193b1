/*
 * The events of threads' heaps (see struct pad_event), in the order of their times: what they mean
 * for the blocks that trace/cost keeps, and so what was live in the calls that pads follow.
 */
#pragma once

#include "pads.h"

/*
 * Take the events of all threads of @inferior until now. Whoever reads a thread's records or frames
 * does so between reading their ends and looking at what is there.
 */
void ring_heap_take(struct inferior *inferior);

/*
 * The metrics of blocks, into @ret, of a call of @tracee that has become a record; the events until
 * then were taken. What was allocated where is the caller's to free; NULL: not known.
 */
struct site_sums *ring_heap_record(struct tracee *tracee, int64_t id,
				   struct value ret[HEAP_TOTALS]);
