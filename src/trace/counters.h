/*
 * Counters: what the kernel and the processor count for one thread: time on a processor, page
 * faults, context switches, and hardware events.
 *
 * Faults and switches come from one perf_event_open(2) group, opened when a thread is first read,
 * and read by one call. Hardware events are a second group, since an event without room in the
 * processor keeps its whole group from counting. They are counted in user mode only, which every
 * user may do. For faults and switches that would omit those in system calls: without permission to
 * count in the kernel they come from /proc/TID. Time on a processor always does: it is what the
 * program itself gets from clock_gettime(2) and getrusage(2).
 *
 * Faults caused by our accesses to a thread's memory count for us, not for it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "core/metric.h"

/* Totals that are counted, as bits 1 << enum metric; the second: those that the hardware counts. */
#define COUNTED_METRICS  metric_set_from(METRIC_PROC | METRIC_KERNEL | METRIC_PROCESSOR)
#define HARDWARE_METRICS metric_set_from(METRIC_PROCESSOR)

/* Counts since one opening of the counters. */
struct thread_counts {
	/* counts with different openings cannot be compared; 0: nothing is known */
	uint64_t opening;
	unsigned known;                /* bits of the metrics whose counts these are */
	uint64_t numbers[METRIC_SUMS]; /* METRIC_CPU in nanoseconds */
	uint64_t uncounted_ns;         /* it ran without room for the hardware events */
};

/*
 * Beside those bits: counts since the thread was born, and of all that it did, as getrusage(2) has
 * them.
 */
#define COUNTED_SINCE_BIRTH (1u << 31)

struct counters;

struct counters *counters_create(void);
void counters_destroy(struct counters *counters); /* NULL is fine */

/*
 * What was counted of @metrics, totals, for the stopped thread @tid. The first call fixes which are
 * counted. Those without a counter are left out of `known`.
 */
void counters_read(struct counters *counters, pid_t tid, unsigned metrics,
		   struct thread_counts *ret);

/* Those of @metrics, totals, that can be counted so. */
unsigned counters_since_birth(unsigned metrics);

/* What @tid does between the two is left out of its counts. */
void counters_suspend(struct counters *counters, pid_t tid);
void counters_continue(struct counters *counters, pid_t tid);

bool counters_is_open(const struct counters *counters, pid_t tid);

/* @tid is gone, or another thread from now on. */
void counters_forget(struct counters *counters, pid_t tid);

/*
 * Can the metrics with the bits @metrics be measured here? Tried on the calling thread.
 * ERR_UNSUPPORTED, with what is missing and what to do. *@ret_note: what the user should know about
 * their source, static; NULL: nothing.
 */
bool counters_check(unsigned metrics, const char **ret_note, struct err *err);

/*
 * Say why perf_event_open(2) refused to count @metric with errno @number. ERR_UNSUPPORTED; always
 * false.
 */
bool counters_refused(enum metric metric, int number, struct err *err);
