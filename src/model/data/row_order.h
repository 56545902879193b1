/* Sorting rows by a number: the order of a column, by the digits of its numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct row_key {
	double x; /* no NaN */
	uint32_t row;
};

/* By x; equal ones keep their order. @scratch: as many. */
void row_order_sort(struct row_key *keys, size_t n, struct row_key *scratch);

/* The same of numbers alone. */
void row_order_sort_numbers(double *numbers, size_t n);
