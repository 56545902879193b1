/* Sets of names, as arrays. */
#include "name_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void name_set_deinit(struct name_set *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct name_set){0};
}

static size_t name_set_find(const struct name_set *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->items[i], name))
			break;
	return i;
}

bool name_set_has(const struct name_set *names, const char *name)
{
	return name_set_find(names, name) < names->n;
}

static char *name_set_copy(const char *name)
{
	const size_t size = strlen(name) + 1;

	return memcpy(mem_alloc(size), name, size);
}

void name_set_assign(struct name_set *names, const char *name, bool is_in)
{
	const size_t at = name_set_find(names, name);

	if (is_in == (at < names->n))
		return;
	if (is_in) {
		names->items = mem_grow(names->items, &names->capacity, names->n + 1,
					sizeof(*names->items));
		names->items[names->n++] = name_set_copy(name);
		return;
	}
	free(names->items[at]);
	names->items[at] = names->items[--names->n];
}

void name_set_keep(char **kept, const char *name)
{
	char *old = *kept; /* @name may be the same text */

	*kept = name ? name_set_copy(name) : NULL;
	free(old);
}
