/* The smallest p-value is held against alpha / n, the next against alpha / (n - 1), and so on. */
#include "holm.h"

#include <stdlib.h>

#include "base/mem.h"
#include "moments.h"

void holm_reject(const double *p, size_t n, double alpha, bool *ret)
{
	struct point *order = mem_alloc((n + 1) * sizeof(*order));
	size_t i;

	for (i = 0; i < n; i++) {
		order[i] = (struct point){p[i], (double)i};
		ret[i] = false;
	}
	moments_sort_points(order, n);
	for (i = 0; i < n && order[i].x <= alpha / (double)(n - i); i++)
		ret[(size_t)order[i].y] = true;
	free(order);
}
