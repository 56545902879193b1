/* A hash table of bytes, by uthash. */
#include "interned.h"

#include <limits.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"

struct entry {
	const void *bytes;
	UT_hash_handle hh;
};

struct interned {
	struct arena *arena;   /* interned bytes */
	struct arena *entries; /* entries of the table */
	struct entry *table;
};

struct interned *interned_create(struct arena *arena)
{
	struct interned *interned = mem_alloc(sizeof(*interned));

	interned->arena = arena;
	interned->entries = arena_create();
	return interned;
}

void interned_destroy(struct interned *interned)
{
	if (!interned)
		return;
	HASH_CLEAR(hh, interned->table);
	arena_destroy(interned->entries);
	free(interned);
}

const void *interned_bytes(struct interned *interned, const void *bytes, size_t n)
{
	struct entry *entry;

	if (n > UINT_MAX) /* uthash's limit */
		return arena_copy(interned->arena, bytes, n);
	HASH_FIND(hh, interned->table, bytes, n, entry);
	if (!entry) {
		entry = arena_new(interned->entries, struct entry);
		entry->bytes = arena_copy(interned->arena, bytes, n);
		HASH_ADD_KEYPTR(hh, interned->table, entry->bytes, n, entry);
	}
	return entry->bytes;
}

const char *interned_text(struct interned *interned, const char *text)
{
	return interned_bytes(interned, text, strlen(text) + 1);
}
