/* Reads from a profile what the explorer lists and opens. explore/fitter.c models it. */
#include "explorer_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "results/kept_models.h"
#include "results/selected_functions.h"
#include "core/samples/derived_columns.h"
#include "profile/csv.h"
#include "profile/profile.h"

/* Most cells loaded; fewer of a growing profile, whose models are made again and again. */
enum { CELLS_MAX = 64 << 20, CELLS_MAX_GROWING = 8 << 20 };

struct listing {
	const struct explorer_source *source;
	struct profile *profile;
	struct explorer_list *list;
	size_t entries_capacity, keys_capacity;
	struct explorer_entry *entries; /* copied into the list at the end */
	const char **keys;
	size_t n_functions; /* that match the patterns */
};

static const char *listing_copy(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static bool is_listed(const struct explorer_source *source, const struct samples *samples,
		      enum metric metric)
{
	const unsigned metrics = source->options->metrics;

	return (!metrics || metrics & 1u << metric) &&
	       samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword) <
		       samples->n_columns;
}

static void listing_add_entry(struct listing *listing, const struct explorer_entry *entry,
			      const char *key)
{
	const size_t n = listing->list->n;

	listing->entries = mem_grow(listing->entries, &listing->entries_capacity, n + 1,
				    sizeof(*listing->entries));
	listing->keys =
		mem_grow(listing->keys, &listing->keys_capacity, n + 1, sizeof(*listing->keys));
	listing->entries[n] = *entry;
	listing->keys[n] = key;
	listing->list->n++;
}

static void listing_add_metrics(struct listing *listing, const struct samples *samples,
				const char *key, size_t n_samples)
{
	struct arena *arena = listing->list->arena;
	struct explorer_entry entry = {.function = listing_copy(arena, samples->function),
				       .file = listing_copy(arena, samples->file),
				       .module = listing_copy(arena, samples->module),
				       .n_samples = n_samples,
				       .n_calls = samples->n_calls,
				       .share = NAN,
				       .r2 = NAN};

	key = listing_copy(arena, key);
	for (entry.metric = 0; entry.metric < METRIC_COUNT; entry.metric++)
		if (is_listed(listing->source, samples, entry.metric))
			listing_add_entry(listing, &entry, key);
}

static bool listing_add_function(void *self, const char *key, struct samples *samples,
				 struct err *err)
{
	struct listing *listing = self;
	size_t n_samples;
	bool ok;

	listing->n_functions++;
	ok = profile_count(listing->profile, key, &n_samples, err);
	if (ok && n_samples)
		listing_add_metrics(listing, samples, key, n_samples);
	samples_destroy(samples);
	return ok;
}

static bool listing_refuse(const struct listing *listing, struct err *err)
{
	const char *path = listing->source->path;

	if (listing->n_functions)
		return err_set(err, ERR_NOT_FOUND,
			       "%s holds no samples of such a metric: fathom explore without -m "
			       "shows all",
			       path);
	if (listing->source->options->n_functions)
		return err_set(
			err, ERR_NOT_FOUND,
			"%s holds no samples of such a function: fathom explore without -f shows "
			"all",
			path);
	return err_set(err, ERR_NOT_FOUND, "%s holds no samples: fathom run -o adds some", path);
}

static bool add_functions(struct listing *listing, struct err *err)
{
	const struct explorer_source *source = listing->source;
	struct options options = *source->options;
	const struct chosen chosen = {
		.profile = listing->profile, .options = &options, .max_cells = 1};

	if (source->is_growing)
		options.n_functions = 0;
	return selected_functions_visit(&chosen, listing_add_function, listing, err) &&
	       (listing->list->n || source->is_growing || listing_refuse(listing, err));
}

static void listing_keep(struct listing *listing)
{
	struct explorer_list *list = listing->list;

	list->entries = arena_copy(list->arena, listing->entries, list->n * sizeof(*list->entries));
	list->keys = arena_copy(list->arena, listing->keys, list->n * sizeof(*list->keys));
	free(listing->entries);
	free(listing->keys);
}

static struct explorer_list *list_create(void)
{
	struct arena *arena = arena_create();
	struct explorer_list *list = arena_new(arena, struct explorer_list);

	list->arena = arena;
	return list;
}

bool explorer_source_list(const struct explorer_source *source, struct explorer_list **ret,
			  struct err *err)
{
	struct listing listing = {.source = source};
	bool ok;

	if (!profile_open(source->path, &listing.profile, err))
		return false;
	listing.list = list_create();
	ok = add_functions(&listing, err);
	listing_keep(&listing);
	profile_close(listing.profile);
	if (ok)
		*ret = listing.list;
	else
		explorer_source_destroy_list(listing.list);
	return ok;
}

void explorer_source_destroy_list(struct explorer_list *list)
{
	if (list)
		arena_destroy(list->arena);
}

struct explorer_list *explorer_source_copy_list(const struct explorer_list *list)
{
	struct explorer_list *made = list_create();
	struct arena *arena = made->arena;
	size_t i;

	made->n = list->n;
	made->entries = arena_copy(arena, list->entries, list->n * sizeof(*list->entries));
	made->keys = arena_array(arena, const char *, list->n);
	for (i = 0; i < list->n; i++) {
		struct explorer_entry *entry = &made->entries[i];

		entry->function = listing_copy(arena, entry->function);
		entry->file = listing_copy(arena, entry->file);
		entry->module = listing_copy(arena, entry->module);
		entry->formula = listing_copy(arena, entry->formula);
		made->keys[i] = listing_copy(arena, list->keys[i]);
	}
	return made;
}

size_t explorer_source_find(const struct explorer_list *list, const char *key, enum metric metric)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->entries[i].metric == metric && !strcmp(list->keys[i], key))
			return i;
	return list->n;
}

size_t explorer_source_models(const struct explorer_source *source, const char *key,
			      const struct samples *samples, unsigned metrics,
			      const struct model_options *options, struct annotation **ret)
{
	struct profile *profile;
	struct err err;
	size_t n;

	if (source->is_growing || !profile_open(source->path, &profile, &err))
		return metric_models_build(samples, metrics, options, ret);
	n = kept_models_build(profile, key, samples, metrics, options, ret);
	profile_close(profile);
	return n;
}

bool explorer_source_load(const struct explorer_source *source, const char *key,
			  struct samples **ret, struct err *err)
{
	const size_t cells = source->is_growing ? CELLS_MAX_GROWING : CELLS_MAX;
	struct profile *profile;
	bool ok;

	if (!profile_open(source->path, &profile, err))
		return false;
	ok = profile_load(profile, key, cells, ret, err);
	if (ok && !profile_callers(profile, *ret, err)) {
		samples_destroy(*ret);
		ok = false;
	}
	profile_close(profile);
	if (ok)
		derived_columns_add(*ret);
	return ok;
}

double explorer_source_duration(const struct explorer_source *source)
{
	struct profile *profile;
	struct err ignored;
	double seconds = NAN;

	if (!profile_open(source->path, &profile, &ignored))
		return NAN;
	if (!profile_duration(profile, &seconds, &ignored) || !(seconds > 0))
		seconds = NAN;
	profile_close(profile);
	return seconds;
}

bool explorer_source_export(const struct explorer_source *source, const char *key, FILE *out,
			    struct err *err)
{
	struct profile *profile;
	bool ok;

	if (!profile_open(source->path, &profile, err))
		return false;
	ok = csv_export(profile, &key, 1, out, err);
	profile_close(profile);
	return ok;
}
