/* Reads from a profile what the explorer lists and opens. explore/fitter.c models it. */
#include "explorer_source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/numbers.h"
#include "results/kept_models.h"
#include "results/selected_functions.h"
#include "results/where.h"
#include "core/samples/derived_columns.h"
#include "profile/csv/csv.h"
#include "profile/graph/profile_code.h"
#include "profile/profile.h"

/* Most cells loaded; fewer of a growing profile, whose models are made again and again. */
enum { CELLS_MAX = SELECTED_CELLS, CELLS_MAX_GROWING = 8 << 20, CELLS_FEW = 1 << 16 };

struct listing {
	const struct explorer_source *source;
	struct profile *profile;
	struct explorer_list *list;
	double duration; /* of all runs, in seconds; NAN: not known (yet) */
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
	const uint64_t metrics = source->options->metrics;

	return (!metrics || metrics & METRIC_BIT(metric)) &&
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
				       .line = samples->line,
				       .n_samples = n_samples,
				       .n_calls = samples->n_calls,
				       .share = selected_functions_share(
					       listing->profile, listing->duration, samples, key),
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
		return selected_functions_refuse(listing->profile, listing->source->options, path,
						 err);
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

static double listing_duration(struct profile *profile)
{
	struct err ignored;
	double seconds;

	return profile_duration(profile, &seconds, &ignored) && seconds > 0 ? seconds : NAN;
}

bool explorer_source_list(const struct explorer_source *source, struct explorer_list **ret,
			  struct err *err)
{
	struct listing listing = {.source = source};
	struct lent_profile lent;
	bool ok;

	if (!explorer_pool_lend(source->pool, source->path, &lent, err))
		return false;
	listing.profile = lent.profile;
	listing.duration = listing_duration(listing.profile);
	listing.list = list_create();
	ok = add_functions(&listing, err);
	listing_keep(&listing);
	explorer_pool_take_back(&lent);
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

	made->n = list->n;
	made->entries = arena_copy(arena, list->entries, list->n * sizeof(*list->entries));
	made->keys = arena_array(arena, const char *, list->n);
	for (size_t i = 0; i < list->n; i++) {
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
	for (size_t i = 0; i < list->n; i++)
		if (list->entries[i].metric == metric && !strcmp(list->keys[i], key))
			return i;
	return list->n;
}

struct lent_profile explorer_source_keeper(const struct explorer_source *source, bool settled)
{
	struct lent_profile lent = {NULL, NULL};
	struct err ignored;

	if (source->is_growing && !settled)
		return lent;
	if (!explorer_pool_lend(source->pool, source->path, &lent, &ignored))
		lent = (struct lent_profile){NULL, NULL};
	return lent;
}

size_t explorer_source_models(const struct lent_profile *keeper, const char *key,
			      const struct samples *samples, uint64_t metrics,
			      const struct model_options *options, struct annotation **ret)
{
	if (!keeper->profile)
		return metric_models_build(samples, metrics, options, ret);
	return kept_models_build(keeper->profile, key, samples, metrics, options, ret);
}

bool explorer_source_load(const struct explorer_source *source, const char *key,
			  enum explorer_load what, struct samples **ret, struct err *err)
{
	const size_t cells = what == LOAD_FEW       ? CELLS_FEW
			     : what == LOAD_SETTLED ? CELLS_MAX
			     : source->is_growing   ? CELLS_MAX_GROWING
						    : CELLS_MAX;
	struct lent_profile lent;
	bool ok;

	if (!explorer_pool_lend(source->pool, source->path, &lent, err))
		return false;
	ok = profile_load(lent.profile, key, cells, ret, err);
	if (ok && !profile_callers(lent.profile, *ret, err)) {
		samples_destroy(*ret);
		ok = false;
	}
	explorer_pool_take_back(&lent);
	if (!ok)
		return false;
	derived_columns_add(*ret);
	if (where_select(*ret, source->options->where, NULL, err) || err->code == ERR_NOT_FOUND)
		return true; /* perhaps without a row */
	samples_destroy(*ret);
	return false;
}

void explorer_source_calls(const struct explorer_source *source,
			   void (*take)(void *self, const char *caller, const char *callee),
			   void *self)
{
	struct lent_profile lent;
	struct err ignored;

	if (!explorer_pool_lend(source->pool, source->path, &lent, &ignored))
		return;
	profile_code_visit_calls(lent.profile, take, self, &ignored);
	explorer_pool_take_back(&lent);
}

double explorer_source_duration(const struct explorer_source *source)
{
	struct lent_profile lent;
	struct err ignored;
	double seconds;

	if (!explorer_pool_lend(source->pool, source->path, &lent, &ignored))
		return NAN;
	seconds = listing_duration(lent.profile);
	explorer_pool_take_back(&lent);
	return seconds;
}

/* The present numbers of the metric's column, ascending; the caller frees them. */
static double *source_numbers(const struct samples *samples, enum metric metric, size_t *ret_n)
{
	const size_t at = samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword);
	double *numbers = mem_alloc((samples->n_rows + 1) * sizeof(*numbers));

	*ret_n = 0;
	for (size_t i = 0; at < samples->n_columns && i < samples->n_rows; i++)
		if (samples->columns[at].absence[i] == PRESENT)
			numbers[(*ret_n)++] = samples->columns[at].numbers[i];
	numbers_sort(numbers, *ret_n);
	return numbers;
}

static double source_mean(const double *numbers, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += numbers[i];
	return n ? sum / (double)n : NAN;
}

/* The smallest number that @share of all do not exceed. */
static double source_quantile(const double *numbers, size_t n, double share)
{
	const double rank = ceil(share * (double)n);

	return n ? numbers[rank < 1 ? 0 : (size_t)rank - 1] : NAN;
}

void explorer_source_costs(const struct samples *samples, double total_us,
			   struct explorer_entry *entry)
{
	const enum metric self = (enum metric)(METRIC_SELF + metric_total(entry->metric));
	size_t n, n_self;
	double *numbers = source_numbers(samples, entry->metric, &n);
	double *selves = source_numbers(samples, self, &n_self);
	const double calls = (double)samples->n_calls;

	entry->costs = (struct entry_costs){
		.is_known = true,
		.mean = source_mean(numbers, n),
		.p50 = source_quantile(numbers, n, 0.5),
		.p95 = source_quantile(numbers, n, 0.95),
		.p99 = source_quantile(numbers, n, 0.99),
		.self = source_mean(selves, n_self) * calls,
	};
	entry->costs.total = entry->metric == METRIC_TIME ? total_us : entry->costs.mean * calls;
	free(numbers);
	free(selves);
}

void explorer_source_before(const struct explorer_source *source, const char *key,
			    struct explorer_entry *entry)
{
	struct explorer_entry there = {.metric = entry->metric};
	struct lent_profile lent;
	struct samples *samples;
	struct err ignored;

	if (!source->before ||
	    !explorer_pool_lend(source->before->pool, source->before->path, &lent, &ignored))
		return;
	if (profile_load(lent.profile, key, CELLS_FEW, &samples, &ignored)) {
		where_select(samples, source->options->where, NULL, &ignored);
		explorer_source_costs(samples, samples->total_us, &there);
		entry->before = (struct entry_before){
			.is_known = true,
			.share = selected_functions_share(
				lent.profile, listing_duration(lent.profile), samples, key),
			.mean = there.costs.mean,
		};
		samples_destroy(samples);
	}
	explorer_pool_take_back(&lent);
}

bool explorer_source_export(const struct explorer_source *source, const char *key, FILE *out,
			    struct err *err)
{
	struct lent_profile lent;
	bool ok;

	if (!explorer_pool_lend(source->pool, source->path, &lent, err))
		return false;
	ok = csv_export(
		lent.profile,
		&(struct csv_selection){&key, 1, where_filter, (void *)source->options->where}, out,
		err);
	explorer_pool_take_back(&lent);
	return ok;
}
