/* The feature system.load, which calls have of themselves, what they waited, what runs know. */
#include "samples_load.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/numbers.h"

static double load_threads(const struct samples *samples)
{
	const size_t at = samples_find_column(samples, COLUMN_FEATURE, "system.load");
	double *loads, median;
	size_t i, n = 0;

	if (at == samples->n_columns)
		return NAN;
	loads = mem_alloc((samples->n_rows + 1) * sizeof(*loads));
	for (i = 0; i < samples->n_rows; i++)
		if (samples->columns[at].absence[i] == PRESENT)
			loads[n++] = samples->columns[at].numbers[i];
	numbers_sort(loads, n);
	median = n ? loads[n / 2] : NAN;
	free(loads);
	return median;
}

/* What a call waited is not in its time. */
static double load_preempted(const struct samples *samples)
{
	const size_t at = samples_find_column(samples, COLUMN_METRIC, "time");
	double waited = 0, time = 0;
	size_t i;

	for (i = 0; at < samples->n_columns && i < samples->n_rows; i++)
		if (samples->columns[at].absence[i] == PRESENT) {
			waited += (double)samples->keys[i].waited_ns / 1e3;
			time += samples->columns[at].numbers[i];
		}
	return waited > 0 && time > 0 ? waited / (waited + time) : 0;
}

struct machine_load samples_load(const struct samples *samples)
{
	return (struct machine_load){.threads = load_threads(samples),
				     .preempted = load_preempted(samples),
				     .stolen = samples->stolen,
				     .resolution = samples_resolution(samples, METRIC_TIME)};
}
