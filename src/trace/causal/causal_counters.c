/* One row a process and counter; those of all that have ended are one row. */
#include "causal_counters.h"

#include <stdlib.h>

#include "base/mem.h"

struct causal_counter {
	pid_t process; /* 0: those that have ended */
	unsigned counter;
	double first, last;
};

static struct causal_counter *counter_row(struct causal_counters *counters, pid_t process,
					  unsigned counter, double first)
{
	size_t i;

	for (i = 0; i < counters->n; i++)
		if (counters->list[i].process == process && counters->list[i].counter == counter)
			return &counters->list[i];
	counters->list = mem_grow(counters->list, &counters->capacity, counters->n + 1,
				  sizeof(*counters->list));
	counters->list[counters->n] = (struct causal_counter){process, counter, first, first};
	return &counters->list[counters->n++];
}

static bool counter_lives(pid_t process, const pid_t *processes, size_t n)
{
	size_t i;

	for (i = 0; i < n && processes[i] != process; i++)
		continue;
	return i < n;
}

static void bury(struct causal_counters *counters, size_t i)
{
	const struct causal_counter dead = counters->list[i];

	counters->list[i] = counters->list[--counters->n];
	counter_row(counters, 0, dead.counter, 0)->last += dead.last - dead.first;
}

double causal_counters_sum(struct causal_counters *counters, unsigned counter,
			   const pid_t *processes, size_t n,
			   const struct causal_counter_reader *reader)
{
	double sum = 0, value;
	size_t i;

	for (i = counters->n; i-- > 0;)
		if (counters->list[i].process &&
		    !counter_lives(counters->list[i].process, processes, n))
			bury(counters, i);
	for (i = 0; i < n; i++)
		if (reader->read(reader->self, processes[i], counter, &value))
			counter_row(counters, processes[i], counter, value)->last = value;
	for (i = 0; i < counters->n; i++)
		if (counters->list[i].counter == counter)
			sum += counters->list[i].last - counters->list[i].first;
	return sum;
}

void causal_counters_deinit(struct causal_counters *counters)
{
	free(counters->list);
}
