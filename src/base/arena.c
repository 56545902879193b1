/* Arenas over the C library's obstacks; mem.c decides what running out of memory means. */
#include "arena.h"

#include <obstack.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

#define obstack_chunk_alloc mem_alloc
#define obstack_chunk_free  free

struct arena {
	struct obstack stack;
};

struct arena *arena_create(void)
{
	struct arena *arena = mem_alloc(sizeof(*arena));

	obstack_init(&arena->stack);
	return arena;
}

void arena_destroy(struct arena *arena)
{
	if (!arena)
		return;
	obstack_free(&arena->stack, NULL);
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
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
