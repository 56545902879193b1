/* Names of features to their columns. */
#include "pins.h"

#include <string.h>

#include "model/data/short_name.h"

enum { SEEN_MOST = 64 };

/* The expression of the feature that is called @name; NULL: there is none. */
static const char *pin_find(const struct samples *samples, const char *name, struct arena *arena)
{
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < samples->n_columns; i++) {
			const struct column *column = &samples->columns[i];

			if (column->role != COLUMN_FEATURE)
				continue;
			if (!strcmp(pass ? short_name(arena, column->name, NULL, 0) : column->name,
				    name))
				return column->name;
		}
	return NULL;
}

static size_t pins_find(const struct samples *samples, const char *const *names, size_t n,
			struct arena *arena, const char *const **ret)
{
	const char **list = arena_array(arena, const char *, n + 1);
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		list[found] = pin_find(samples, names[i], arena);
		found += list[found] != NULL;
	}
	*ret = list;
	return found;
}

void pins_resolve(const struct options *options, const struct samples *samples, struct arena *arena,
		  struct model_options *ret)
{
	ret->n_pinned = pins_find(samples, options->pinned, options->n_pinned, arena, &ret->pinned);
	ret->n_excluded =
		pins_find(samples, options->excluded, options->n_excluded, arena, &ret->excluded);
}

static uint64_t see(const struct samples *samples, const char *const *names, size_t n)
{
	struct arena *arena = arena_create();
	uint64_t seen = 0;

	for (size_t i = 0; i < n && i < SEEN_MOST; i++)
		seen |= (uint64_t)(pin_find(samples, names[i], arena) != NULL) << i;
	arena_destroy(arena);
	return seen;
}

void pins_see(struct pins_seen *seen, const struct options *options, const struct samples *samples)
{
	if (options->n_pinned + options->n_excluded == 0)
		return;
	seen->pinned |= see(samples, options->pinned, options->n_pinned);
	seen->excluded |= see(samples, options->excluded, options->n_excluded);
}

static bool check(uint64_t seen, const char *const *names, size_t n, const char *option,
		  struct err *err)
{
	for (size_t i = 0; i < n && i < SEEN_MOST; i++)
		if (!(seen >> i & 1))
			return err_set(err, ERR_NOT_FOUND,
				       "--%s %.100s: no function has such a feature; export --csv "
				       "has their names",
				       option, names[i]);
	return true;
}

bool pins_check(const struct pins_seen *seen, const struct options *options, struct err *err)
{
	return check(seen->pinned, options->pinned, options->n_pinned, "pin", err) &&
	       check(seen->excluded, options->excluded, options->n_excluded, "exclude", err);
}
