/* Points in order. */
#include "moments.h"

#include <stdlib.h>

static int compare_points(const void *a, const void *b)
{
	const struct point *left = a, *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return (left->y > right->y) - (left->y < right->y);
}

void moments_sort_points(struct point *points, size_t n)
{
	qsort(points, n, sizeof(*points), compare_points);
}
