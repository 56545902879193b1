/* Lists of numbers. */
#pragma once

#include <stddef.h>

/* Sort, ascending; none may be NAN. If @n is 0, @numbers may be NULL. */
void numbers_sort(double *numbers, size_t n);
