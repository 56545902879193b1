/* Readable names that need no quoting in any file system, shell or script. */
#include "picture_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/arena.h"
#include "base/mem.h"

enum { FUNCTION_MOST = 70 };

struct given {
	const char *lower;
	UT_hash_handle hh;
};

struct picture_names {
	struct arena *arena;
	struct given *by_lower;
};

struct picture_names *picture_names_create(void)
{
	struct picture_names *names = mem_alloc(sizeof(*names));

	names->arena = arena_create();
	return names;
}

void picture_names_destroy(struct picture_names *names)
{
	if (!names)
		return;
	HASH_CLEAR(hh, names->by_lower);
	arena_destroy(names->arena);
	free(names);
}

static bool is_harmless(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Each run of other characters becomes one '_', but none at the ends. */
static void picture_simplify(const char *function, char ret[FUNCTION_MOST + 1])
{
	size_t n = 0;
	bool gap = false;

	for (; *function && n + 2 <= FUNCTION_MOST; function++) {
		if (!is_harmless(*function) && *function != '_') {
			gap = true;
			continue;
		}
		if (gap && n)
			ret[n++] = '_';
		gap = false;
		ret[n++] = *function;
	}
	ret[n] = '\0';
	if (!n)
		strcpy(ret, "function");
}

/* False: @name is taken. */
static bool picture_give(struct picture_names *names, const char *name)
{
	char *lower = arena_strdup(names->arena, name);
	struct given *given;
	char *at;

	for (at = lower; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	HASH_FIND_STR(names->by_lower, lower, given);
	if (given)
		return false;
	given = arena_new(names->arena, struct given);
	given->lower = lower;
	HASH_ADD_KEYPTR(hh, names->by_lower, given->lower, strlen(given->lower), given);
	return true;
}

const char *picture_names_give(struct picture_names *names, const char *function,
			       const char *metric)
{
	char simple[FUNCTION_MOST + 1];
	const char *name;

	picture_simplify(function, simple);
	name = arena_printf(names->arena, "%s.%s", simple, metric);
	for (unsigned i = 2; !picture_give(names, name); i++)
		name = arena_printf(names->arena, "%s-%u.%s", simple, i, metric);
	return name;
}
