/* An open hash table of a fixed size: a program may have any number of texts. */
#include "text_pool.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "class_type.h"

enum { SLOTS = 1 << 12, PROBES = 64 };

struct text_pool {
	struct arena *arena;
	struct pooled {
		uint64_t number;
		const char *text;
		bool is_used;
	} slots[SLOTS];
};

struct text_pool *text_pool_create(struct arena *arena)
{
	struct text_pool *pool = arena_new(arena, struct text_pool);

	pool->arena = arena;
	return pool;
}

/* Where @number is or may be put; NULL: nowhere. */
static const struct pooled *slot_find(const struct text_pool *pool, uint64_t number)
{
	for (unsigned i = 0; i < PROBES; i++) {
		const struct pooled *slot = &pool->slots[(number + i) % SLOTS];

		if (!slot->is_used || slot->number == number)
			return slot;
	}
	return NULL;
}

/* As it may be printed: in a string literal, without its quotes. */
static const char *printable(struct arena *arena, const char *bytes)
{
	char *quoted = NULL;
	const char *text;
	size_t n;
	FILE *out = open_memstream(&quoted, &n);

	if (!out)
		return "?";
	text_print_quoted(out, bytes, strlen(bytes));
	fclose(out);
	text = n < 2 ? "?" : arena_printf(arena, "%.*s", (int)n - 2, quoted + 1);
	free(quoted);
	return text;
}

uint64_t text_pool_add(struct text_pool *pool, const char *bytes, uint64_t n)
{
	char text[TEXT_POOL_BYTES + sizeof("...") + 20] = "";
	const bool is_long = n > TEXT_POOL_BYTES;
	const struct pooled *slot;
	uint64_t number;

	if (is_long)
		snprintf(text, sizeof(text), "%.8s...%.8s%" PRIu64, bytes, bytes + 8, n);
	else
		memcpy(text, bytes, n);
	number = class_type_number(text);
	if (is_long)
		snprintf(text, sizeof(text), "%.8s...%.8s", bytes, bytes + 8);
	slot = slot_find(pool, number);
	if (slot && !slot->is_used)
		pool->slots[slot - pool->slots] =
			(struct pooled){number, printable(pool->arena, text), true};
	return number;
}

const char *text_pool_find(const struct text_pool *pool, uint64_t number)
{
	const struct pooled *slot = slot_find(pool, number);

	return slot && slot->is_used ? slot->text : NULL;
}
