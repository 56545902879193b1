/* Arenas over the C library's obstacks; mem.c decides what running out of memory means. */
#include "arena.h"

#include <obstack.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define obstack_chunk_alloc mem_alloc
#define obstack_chunk_free  free

enum { LARGE = 1 << 20 };

/* Before a piece that is apart: the lengths of obstacks are int. */
struct large {
	struct large *next;
	max_align_t piece[];
};

struct arena {
	struct obstack stack;
	struct large *large;
};

struct arena *arena_create(void)
{
	struct arena *arena = mem_alloc(sizeof(*arena));

	obstack_init(&arena->stack);
	return arena;
}

void arena_destroy(struct arena *arena)
{
	struct large *next;

	if (!arena)
		return;
	for (struct large *large = arena->large; large; large = next) {
		next = large->next;
		free(large);
	}
	obstack_free(&arena->stack, NULL);
	free(arena);
}

static void *alloc_large(struct arena *arena, size_t size)
{
	struct large *large = mem_alloc(size_sum(sizeof(*large), size));

	large->next = arena->large;
	arena->large = large;
	return large->piece;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	if (size >= LARGE)
		return alloc_large(arena, size);
	return memset(obstack_alloc(&arena->stack, size ? size : 1), 0, size);
}

void *arena_copy(struct arena *arena, const void *from, size_t size)
{
	void *copy = arena_alloc(arena, size);

	return size ? memcpy(copy, from, size) : copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_copy(arena, text, strlen(text) + 1);
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list args;
	char *heap = NULL;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&heap, fmt, args) < 0)
		mem_out_of_memory();
	va_end(args);
	text = arena_strdup(arena, heap);
	free(heap);
	return text;
}
