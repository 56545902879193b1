/*
 * Two numbers of which one is never above the other, as the ends of a range are: `lo` and `hi`,
 * `head` and `tail`, `size` and `capacity`. What lies between them is what a cost may depend on.
 */
#pragma once

#include "samples.h"

struct ordered_pair {
	size_t low, high; /* columns */
};

enum { ORDERED_PAIRS_MAX = 16 };

/*
 * Pairs of whole numbers of the program, known before the call, that are so in all rows with both,
 * and would not be if they had nothing to do with each other. Shallow and short names first;
 * returns their number.
 */
size_t ordered_pairs_find(const struct samples *samples,
			  struct ordered_pair ret[ORDERED_PAIRS_MAX]);
