/*
 * What /proc/TID counts for a thread, without the permission for perf_event_open(2). Source:
 * proc(5).
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

/* The open files of one thread; -1: not open. */
struct proc_counters {
	int fds[COUNTER_FILES];
};

/*
 * Open the files that hold @metrics for thread @tid. Returns the bits of those whose file is open.
 */
unsigned proc_counters_open(struct proc_counters *files, pid_t tid, unsigned metrics);
void proc_counters_close(struct proc_counters *files);

/*
 * Read the open files into @numbers, indexed by metric. Returns the bits of those that are known.
 */
unsigned proc_counters_read(const struct proc_counters *files, uint64_t numbers[METRIC_SUMS]);

/* Parse the text of @file. False: it lacks the numbers, or the kernel does not count. */
bool proc_counters_parse(enum proc_counter_file file, const char *text,
			 uint64_t numbers[METRIC_SUMS]);
