/*
 * The order of calls, and what only comes from it.
 *
 * The first calls of a run are dear: caches are cold, pages are not mapped, symbols not bound. And
 * all that drifts while a program runs (frequencies, heaps, other programs) is in step with
 * features that just count, and with most features of the system.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/samples/samples.h"

struct call_drift {
	size_t *order; /* [n] rows of the table, by run and id */
	size_t n;
};

/* The rows @rows of the table in the order of their calls; the memory is @arena's. */
struct call_drift call_drift_in_order(struct arena *arena, const struct samples *samples,
				      const size_t *rows, size_t n);

/* Set @ret[row] for the rows of the table that are the first few of a run with many. */
void call_drift_mark_cold(const struct samples *samples, const struct call_drift *calls, bool *ret);

/* Does @column hardly ever go down, or hardly ever up, from call to call? */
bool call_drift_follows(const struct samples *samples, const struct call_drift *calls,
			const struct column *column);
