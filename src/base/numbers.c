/* By the C library's sort. */
#include "numbers.h"

#include <stdlib.h>

static int numbers_order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void numbers_sort(double *numbers, size_t n)
{
	if (n)
		qsort(numbers, n, sizeof(*numbers), numbers_order);
}
