/*
 * Sizes of what files and programs say. What no memory has is SIZE_MAX: no allocation gives it, and
 * no limit lets it pass, so who multiplies or adds need not look.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline size_t size_product(size_t n, size_t size)
{
	size_t ret;

	return __builtin_mul_overflow(n, size, &ret) ? SIZE_MAX : ret;
}

static inline size_t size_sum(size_t one, size_t other)
{
	size_t ret;

	return __builtin_add_overflow(one, other, &ret) ? SIZE_MAX : ret;
}
