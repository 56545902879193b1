/*
 * How precisely costs are known while a program still runs: a thread of its own, which must not
 * take the program's time, models what the profile has of a run so far.
 *
 * A function is looked at when it has twice the samples of the last time. What was precise once is
 * not looked at again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/samples/samples.h"

struct precision_watch;

/* A function whose costs are known. */
struct precise_function {
	struct samples *function; /* without rows; the watch's own */
	double relative;          /* as in struct precision, the worst of its metrics */
};

/*
 * Of the run @run of the profile @path, which others may write; known are functions with a
 * precision.relative below @until of each of @metrics (bits). NULL: no thread could be started.
 */
struct precision_watch *precision_watch_create(const char *path, int64_t run, uint64_t metrics,
					       double until);
void precision_watch_destroy(struct precision_watch *watch); /* NULL is fine */

/* There may be new samples: look, unless it looks. */
void precision_watch_wake(struct precision_watch *watch);

/* The one found as number @at, from 0; false: so many were not found yet. */
bool precision_watch_found(struct precision_watch *watch, size_t at, struct precise_function *ret);
