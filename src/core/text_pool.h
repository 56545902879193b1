/*
 * Short texts of the inferior by their numbers, for features that are text: names of functions that
 * it interprets, and what it works on if somebody asks for that (--strings).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { TEXT_POOL_BYTES = 16 };

struct text_pool;

/* It lives in @arena. */
struct text_pool *text_pool_create(struct arena *arena);

/*
 * The number of the text of @n bytes, up to a NUL: class_type_number() of it. The pool keeps it
 * unless it is full. Of more than TEXT_POOL_BYTES @bytes has the first 8 and the last 8, and texts
 * are the same that have these and the length in common: `_find_an...unlocked`.
 */
uint64_t text_pool_add(struct text_pool *pool, const char *bytes, uint64_t n);

/* As it may be printed, what is no text escaped, in the pool's arena; NULL: it is not there. */
const char *text_pool_find(const struct text_pool *pool, uint64_t number);
