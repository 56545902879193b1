/*
 * Sleepers: what the kernel tells, without anybody being stopped, of how long threads have slept
 * and how long they have been there. All are bounds: a thread that slept had all its calls open
 * meanwhile.
 *
 * Source: proc(5); Documentation/scheduler/sched-debug.rst: `se.exec_start` is when a task was last
 * accounted for, on the clock of the processor that it ran on, which never runs faster than time
 * does.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sleeper {
	pid_t tid;
	bool is_asleep;    /* or stopped */
	uint64_t switches; /* how often it went to sleep so far */
	uint64_t at_ns;    /* when this was read, CLOCK_MONOTONIC */
	uint64_t slept_ns; /* for so long at least by then; 0: not known */
	uint64_t age_ns;   /* since it began, at most; UINT64_MAX: not known */
};

/* All threads of @pid, by number; the caller frees *@ret. Returns how many. */
size_t sleepers_read(pid_t pid, struct sleeper **ret);

/* Of one that is there; NULL: it is not. */
const struct sleeper *sleepers_find(const struct sleeper *list, size_t n, pid_t tid);

/* How often the thread @tid went to sleep so far; false: it is gone. */
bool sleepers_switches(pid_t tid, uint64_t *ret);
