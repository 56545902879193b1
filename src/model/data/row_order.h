/* Sorting rows by a number, by the digits of the numbers, and what follows from the order. */
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

/* Spearman's rank correlation; equal numbers share their mean rank. 0: one does not vary. */
double row_order_correlation(const double *x, const double *y, size_t n);
