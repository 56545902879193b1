/*
 * What /proc/TID counts for a thread, for those who may not use perf_event_open(2). See proc(5).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/metric.h"

enum proc_counter_file {
	COUNTER_SCHEDSTAT, /* METRIC_CPU, in nanoseconds */
	COUNTER_STAT,      /* METRIC_PFAULTS, METRIC_MAJOR_PFAULTS */
	COUNTER_STATUS,    /* METRIC_SWITCHES */
	COUNTER_FILES,
};

/* The files of one thread that are open; -1: it is not. */
struct proc_counters {
	int fds[COUNTER_FILES];
};

/*
 * Open the files that tell @metrics for thread @tid. Returns the bits of those whose file is open.
 */
unsigned proc_counters_open(struct proc_counters *files, pid_t tid, unsigned metrics);
void proc_counters_close(struct proc_counters *files);

/*
 * Read what the open files tell into @numbers, indexed by metric. Returns the bits of those that
 * are known.
 */
unsigned proc_counters_read(const struct proc_counters *files, uint64_t numbers[METRIC_SUMS]);

/* Their texts, parsed; false: there is no such thing in it, or the kernel does not count. */
bool proc_counters_parse(enum proc_counter_file file, const char *text,
			 uint64_t numbers[METRIC_SUMS]);
