/*
 * The order of calls, and effects of that order alone.
 *
 * The first calls of a run are expensive: cold caches, unmapped pages, unbound symbols. And
 * whatever drifts during a run (frequencies, heaps, other programs) correlates with counters and
 * with most system features.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "core/samples/samples.h"

struct call_drift {
	size_t *order; /* [n] rows, by run and id */
	size_t n;
};

/* Sort @rows by call; the result lives in @arena. */
struct call_drift call_drift_in_order(struct arena *arena, const struct samples *samples,
				      const size_t *rows, size_t n);

/* How many of @calls, from @first on, are of one run. */
size_t call_drift_run_length(const struct samples *samples, const struct call_drift *calls,
			     size_t first);

/* Set @ret[row] ([rows of the table]) for the first few calls of each long run. */
void call_drift_mark_cold(const struct samples *samples, const struct call_drift *calls, bool *ret);

/* Is @column nearly monotonic from call to call? */
bool call_drift_follows(const struct samples *samples, const struct call_drift *calls,
			const struct column *column);
