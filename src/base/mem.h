/*
 * Memory: arenas and growing arrays.
 *
 * A product owns one arena and everything that belongs to it dies with it. Arenas are obstacks of
 * the C library. Running out of memory ends the program (a launched inferior dies with its tracer);
 * sizes that come from outside are bounded by whoever reads them, before memory is asked for.
 */
#ifndef FATHOM_BASE_MEM_H
#define FATHOM_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *arena); /* NULL is fine */

/* @size zeroed bytes, aligned for any type, alive until the arena is destroyed. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_copy(struct arena *arena, const void *from, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define arena_new(arena, type)      ((type *)arena_alloc((arena), sizeof(type)))
#define arena_array(arena, type, n) ((type *)arena_alloc((arena), (n) * sizeof(type)))

/*
 * Heap memory that is never NULL. mem_grow() returns @array (or its larger copy) with room for at
 * least @need elements of @size bytes and updates *@capacity; new elements are zeroed.
 */
void *mem_alloc(size_t size);
void *mem_grow(void *array, size_t *capacity, size_t need, size_t size);

#endif
