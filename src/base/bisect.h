/* Binary search by halves. */
#pragma once

#include <stddef.h>

/*
 * The first @i below @n for which @is_before, an expression of @i that is true of the first ones
 * and of no later one, is false; @n: there is none.
 */
#define BISECT_FIRST(i, n, is_before)                                  \
	({                                                             \
		size_t first_ = 0, end_ = (n);                         \
                                                                       \
		while (first_ < end_) {                                \
			const size_t i = first_ + (end_ - first_) / 2; \
                                                                       \
			if (is_before)                                 \
				first_ = i + 1;                        \
			else                                           \
				end_ = i;                              \
		}                                                      \
		first_;                                                \
	})
