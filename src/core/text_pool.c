/* An open hash table of a fixed size: a program may have any number of texts. */
#include "text_pool.h"

#include <stdbool.h>
#include <string.h>

#include "class_type.h"

enum { SLOTS = 1 << 12, PROBES = 64 };

struct text_pool {
	struct pooled {
		uint64_t number;
		char text[TEXT_POOL_BYTES + 1];
		bool is_used;
	} slots[SLOTS];
};

struct text_pool *text_pool_create(struct arena *arena)
{
	struct text_pool *pool = arena_new(arena, struct text_pool);

	memset(pool, 0, sizeof(*pool));
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

uint64_t text_pool_add(struct text_pool *pool, const char *bytes, size_t n)
{
	struct pooled made = {.is_used = true};
	const struct pooled *slot;

	memcpy(made.text, bytes, n < TEXT_POOL_BYTES ? n : TEXT_POOL_BYTES);
	made.number = class_type_number(made.text);
	slot = slot_find(pool, made.number);
	if (slot && !slot->is_used)
		pool->slots[slot - pool->slots] = made;
	return made.number;
}

const char *text_pool_find(const struct text_pool *pool, uint64_t number)
{
	const struct pooled *slot = slot_find(pool, number);

	return slot && slot->is_used ? slot->text : NULL;
}
