/*
 * Arenas: memory that is freed all at once. A product owns one and everything in it dies with it.
 * Running out of memory ends the program (mem.h).
 */
#pragma once

#include <stddef.h>

#include "size.h"

struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *arena); /* NULL is fine */

/* @size zeroed bytes, aligned for any type, alive until the arena is destroyed. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *from, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define arena_new(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, n) ((type *)arena_alloc((arena), size_product((n), sizeof(type))))
