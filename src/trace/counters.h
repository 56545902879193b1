/*
 * Counters: what the kernel and the processor count for one thread: time on a processor, page
 * faults, context switches, and hardware events.
 *
 * Faults and switches come from perf_event_open(2): a group of events that is opened when a thread
 * is read for the first time, and read by one call. Hardware events are a second group, since one
 * that the processor has no room for would keep its whole group from counting, and are counted in
 * user mode only, which is what every user may. The others would mean something else there (faults
 * in system calls and all switches would be missing): whoever may not count the kernel's part has
 * them from /proc/TID. From there comes the time on a processor always: it is what the program
 * itself is told by clock_gettime(2) and getrusage(2).
 *
 * Page faults and switches are the thread's alone: what is read from its memory or written to it is
 * counted for us.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "core/metric.h"

/* Totals that are counted: bits 1 << enum metric. Of the hardware some. */
#define COUNTED_METRICS  metric_set_from(METRIC_PROC | METRIC_KERNEL | METRIC_PROCESSOR)
#define HARDWARE_METRICS metric_set_from(METRIC_PROCESSOR)

/* What was counted from some moment on, which is the same for all counts of one opening. */
struct thread_counts {
	uint64_t opening; /* tells the counts of one opening from others; 0: nothing is known */
	unsigned known;   /* bits of the metrics whose counts these are */
	uint64_t numbers[METRIC_SUMS]; /* METRIC_CPU in nanoseconds */
	uint64_t
		/* so long it ran while the processor had no room for the hardware events */
		uncounted_ns;
};

struct counters;

struct counters *counters_create(void);
void counters_destroy(struct counters *counters); /* NULL is fine */

/*
 * What was counted of @metrics, totals, for the stopped thread @tid. The first time only those are
 * counted that are asked for then; unknown are those for which there is no counter.
 */
void counters_read(struct counters *counters, pid_t tid, unsigned metrics,
		   struct thread_counts *ret);

/* What @tid does from the one to the other is not its own, and left out of its counts. */
void counters_suspend(struct counters *counters, pid_t tid);
void counters_continue(struct counters *counters, pid_t tid);

/* Is anything of @tid counted? */
bool counters_is_open(const struct counters *counters, pid_t tid);

/* @tid is gone, or another thread from now on. */
void counters_forget(struct counters *counters, pid_t tid);

/*
 * Can the metrics with the bits @metrics be measured here? Looked at in this thread.
 * ERR_UNSUPPORTED, with what is missing and what to do. *@ret_note: something that the user should
 * know of where they come from; NULL: nothing. It is static.
 */
bool counters_check(unsigned metrics, const char **ret_note, struct err *err);

/* Why perf_event_open(2) refused to count @metric with @number, an errno. False. */
bool counters_refused(enum metric metric, int number, struct err *err);
