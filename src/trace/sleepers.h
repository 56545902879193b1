/*
 * Sleepers: how long threads have slept and existed, according to the kernel, without stopping any.
 * All values are bounds: a sleeping thread had all its calls open meanwhile.
 *
 * Source: proc(5); Documentation/scheduler/sched-debug.rst: `se.exec_start` is when a task was last
 * accounted for, on its processor's clock, which never runs faster than time does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sleeper {
	pid_t tid;
	bool is_asleep; /* or stopped */
	uint64_t switches;
	uint64_t at_ns;    /* when this was read, CLOCK_MONOTONIC */
	uint64_t slept_ns; /* at least, until then; 0: unknown */
	uint64_t age_ns;   /* since it began, at most; UINT64_MAX: unknown */
};

/* All threads of @pid, sorted by id; the caller frees *@ret. Returns how many. */
size_t sleepers_read(pid_t pid, struct sleeper **ret);

/* NULL: @tid is not in @list. */
const struct sleeper *sleepers_find(const struct sleeper *list, size_t n, pid_t tid);

/* How often @tid went to sleep so far; false: it is gone. */
bool sleepers_switches(pid_t tid, uint64_t *ret);
