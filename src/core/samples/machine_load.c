/* The feature system.load, which calls have of themselves. */
#include "machine_load.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/numbers.h"

double machine_load(const struct samples *samples)
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
