/*
 * Ids of calls. Each thread that pads measure numbers its calls itself: it is a source; the tracer
 * is source 0. Inside of the engine an id says its source and a number, which is nothing to store;
 * what leaves it are ids of all sources, one after the other, and of one source in their order.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zero: only source 0. */
struct call_ids {
	struct id_source *sources;
	size_t n, capacity;
	int64_t last; /* that was given away */
};

void call_ids_deinit(struct call_ids *ids);

/* The id before the first one of a new source. */
int64_t call_ids_begin(struct call_ids *ids);

/* @id as it leaves the engine; 0 of 0. */
int64_t call_ids_outside(struct call_ids *ids, int64_t id);
