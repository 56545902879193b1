/* Arenas over the C library's obstacks, and arrays that grow by doubling. */
#include "base/mem.h"

#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define obstack_chunk_alloc mem_alloc
#define obstack_chunk_free  free

struct arena {
	struct obstack stack;
};

static void out_of_memory(void)
{
	static const char text[] = "fathom: out of memory\n";

	fputs(text, stderr);
	abort();
}

void *mem_alloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *mem_grow(void *array, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity ? *capacity : 16;
	char *grown;

	if (need <= *capacity)
		return array;
	while (wanted < need)
		wanted *= 2;
	grown = reallocarray(array, wanted, size);
	if (!grown)
		out_of_memory();
	memset(grown + *capacity * size, 0, (wanted - *capacity) * size);
	*capacity = wanted;
	return grown;
}

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
		out_of_memory();
	va_end(args);
	text = arena_strdup(arena, heap);
	free(heap);
	return text;
}
