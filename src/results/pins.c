/* Names of features to their columns. */
#include "pins.h"

#include <string.h>

#include "core/samples/derived_columns.h"
#include "model/data/short_name.h"
#include "profile/profile.h"

enum { SEEN_MOST = 64, NAMING_CELLS = 1 << 20 /* derived features need calls */ };

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

void pins_see(struct pins_seen *seen, const struct options *options, struct samples *samples)
{
	if (options->n_pinned + options->n_excluded == 0)
		return;
	derived_columns_add(samples);
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

/* Add those of @names that @samples has. */
static void pins_add(const struct samples *samples, const char *const *names, size_t n,
		     struct arena *arena, const char ***list, size_t *n_list)
{
	const char *const *found;
	const size_t n_found = pins_find(samples, names, n, arena, &found);
	const char **longer = arena_array(arena, const char *, *n_list + n_found + 1);

	for (size_t i = 0; i < *n_list; i++)
		longer[i] = (*list)[i];
	for (size_t i = 0; i < n_found; i++) {
		size_t at = 0;

		while (at < *n_list && strcmp(longer[at], found[i]) != 0)
			at++;
		if (at == *n_list)
			longer[(*n_list)++] = arena_strdup(arena, found[i]);
	}
	*list = longer;
}

bool pins_expand(const char *path, const struct options *options, struct arena *arena,
		 struct pin_names *ret, struct err *err)
{
	struct pins_seen seen = {0};
	const char *const *keys;
	struct profile *profile;
	size_t n;
	bool ok = true;

	*ret = (struct pin_names){.n_pinned = 0};
	if (options->n_pinned + options->n_excluded == 0)
		return true;
	if (!profile_open(path, &profile, err))
		return false;
	n = profile_functions(profile, &keys);
	for (size_t i = 0; i < n && ok; i++) {
		struct samples *samples;

		ok = profile_load(profile, keys[i], NAMING_CELLS, &samples, err);
		if (!ok)
			break;
		pins_see(&seen, options, samples);
		pins_add(samples, options->pinned, options->n_pinned, arena, &ret->pinned,
			 &ret->n_pinned);
		pins_add(samples, options->excluded, options->n_excluded, arena, &ret->excluded,
			 &ret->n_excluded);
		samples_destroy(samples);
	}
	profile_close(profile);
	return ok && pins_check(&seen, options, err);
}
