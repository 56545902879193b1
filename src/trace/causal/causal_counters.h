/*
 * Variables by which processes count for themselves: how far they have come together. A process
 * counts from when it is first read, as a child begins with a copy of what its parent counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct causal_counters {
	struct causal_counter *list;
	size_t n, capacity;
};

struct causal_counter_reader {
	/* False: it cannot be read in that process. */
	bool (*read)(void *self, pid_t process, unsigned counter, double *ret);
	void *self;
};

/* The counter, of @processes and of those that have ended since. */
double causal_counters_sum(struct causal_counters *counters, unsigned counter,
			   const pid_t *processes, size_t n,
			   const struct causal_counter_reader *reader);
void causal_counters_deinit(struct causal_counters *counters);
