/* Sets of names, as arrays. */
#include "tui/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void names_deinit(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct names){0};
}

static size_t find(const struct names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->items[i], name))
			break;
	return i;
}

bool names_has(const struct names *names, const char *name)
{
	return find(names, name) < names->n;
}

static char *copy(const char *name)
{
	const size_t size = strlen(name) + 1;

	return memcpy(mem_alloc(size), name, size);
}

void names_set(struct names *names, const char *name, bool is_in)
{
	const size_t at = find(names, name);

	if (is_in == (at < names->n))
		return;
	if (is_in) {
		names->items = mem_grow(names->items, &names->capacity, names->n + 1,
					sizeof(*names->items));
		names->items[names->n++] = copy(name);
		return;
	}
	free(names->items[at]);
	names->items[at] = names->items[--names->n];
}

void name_keep(char **kept, const char *name)
{
	char *old = *kept; /* which @name may be */

	*kept = name ? copy(name) : NULL;
	free(old);
}
