/* From the end to the beginning. */
#include "critical_path.h"

#include <math.h>
#include <stdlib.h>

static int path_compare_ends(const void *a, const void *b)
{
	const struct path_stretch *x = a, *y = b;

	return (x->ended_us < y->ended_us) - (x->ended_us > y->ended_us);
}

void critical_path_find(struct path_stretch *list, size_t n, double *ret_worked, double *ret_lost)
{
	double until = INFINITY;

	*ret_worked = *ret_lost = 0;
	qsort(list, n, sizeof(*list), path_compare_ends);
	for (size_t i = 0; i < n; i++) {
		const double length = list[i].ended_us - list[i].began_us;
		const double alone = fmin(list[i].ended_us, until) - list[i].began_us;

		list[i].awaited_us = 0;
		if (!(alone > 0))
			continue;
		list[i].awaited_us = list[i].worked_us * alone / length;
		*ret_worked += list[i].awaited_us;
		*ret_lost += list[i].lost_us * alone / length;
		until = list[i].began_us;
	}
}
