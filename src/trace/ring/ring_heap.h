/*
 * The events of threads' heaps (see struct pad_event), in the order of their times: what they mean
 * for the blocks that trace/cost keeps, and so the peaks of calls that pads follow.
 */
#pragma once

#include "pads.h"

/*
 * Take the events of all threads of @inferior until now. Whoever reads a thread's records or frames
 * does so between reading their ends and looking at what is there.
 */
void ring_heap_take(struct inferior *inferior);

/* The peak of a call of @tracee that has become a record; the events until then were taken. */
struct value ring_heap_peak(struct tracee *tracee, int64_t id);

void ring_heap_deinit(struct ring_heap *heap);
