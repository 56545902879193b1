/*
 * Short texts of the inferior by their numbers, for features that are text: kept only if somebody
 * asks for them (--strings).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { TEXT_POOL_BYTES = 16 }; /* longer ones are no categories */

struct text_pool;

/* It lives in @arena. */
struct text_pool *text_pool_create(struct arena *arena);

/*
 * The number of the first @n (at most TEXT_POOL_BYTES) of @bytes, up to a NUL: class_type_number()
 * of the text, which the pool keeps unless it is full.
 */
uint64_t text_pool_add(struct text_pool *pool, const char *bytes, size_t n);

/* As it may be printed, what is no text escaped, in the pool's arena; NULL: it is not there. */
const char *text_pool_find(const struct text_pool *pool, uint64_t number);
