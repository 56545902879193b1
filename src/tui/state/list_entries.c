/* The list's lines: copy, sort, filter, find. view_list.c draws them. */
#include "list_entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

void list_entries_deinit(struct list_entries *entries)
{
	arena_destroy(entries->arena);
	free(entries->shown);
	text_deinit(&entries->filter);
	*entries = (struct list_entries){0};
}

static const char *entry_copy_text(struct arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

struct explorer_entry list_entries_copy_name(struct arena *arena,
					     const struct explorer_entry *entry)
{
	return (struct explorer_entry){
		.function = arena_strdup(arena, entry->function),
		.file = entry_copy_text(arena, entry->file),
		.module = entry_copy_text(arena, entry->module),
		.metric = entry->metric,
		.share = NAN,
		.r2 = NAN,
	};
}

void list_entries_set(struct list_entries *entries, const struct explorer_entry *from, size_t n)
{
	struct arena *arena = arena_create();
	struct explorer_entry *all = arena_array(arena, struct explorer_entry, n);

	for (size_t i = 0; i < n; i++) {
		const struct explorer_entry name = list_entries_copy_name(arena, &from[i]);

		all[i] = from[i];
		all[i].function = name.function;
		all[i].file = name.file;
		all[i].module = name.module;
		all[i].formula = entry_copy_text(arena, from[i].formula);
	}
	arena_destroy(entries->arena);
	entries->arena = arena;
	entries->all = all;
	entries->n = n;
	list_entries_arrange(entries);
}

static bool entry_has(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

static bool entry_is_wanted(const struct explorer_entry *entry, const char *filter)
{
	return !filter || entry_has(entry->function, filter) || entry_has(entry->module, filter) ||
	       entry_has(metric_info(entry->metric)->keyword, filter);
}

static int entry_compare_numbers(double a, double b)
{
	return (a > b) - (a < b);
}

/* Unknown comes last in either direction. */
static int compare_known(double a, double b, bool reversed)
{
	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return reversed ? entry_compare_numbers(a, b) : entry_compare_numbers(b, a);
}

double list_entries_number(const struct explorer_entry *entry, enum list_order order)
{
	const struct entry_costs *costs = &entry->costs;
	const struct entry_before *before = &entry->before;

	switch (order) {
	case BY_SHARE:
		return entry->share;
	case BY_SAMPLES:
		return (double)entry->n_samples;
	case BY_CALLS:
		return (double)entry->n_calls;
	case BY_R2:
		return entry->is_modelled ? entry->r2 : NAN;
	case BY_CASES:
		return entry->is_modelled ? (double)entry->n_cases : NAN;
	case BY_TOTAL:
		return costs->is_known ? costs->total : NAN;
	case BY_SELF:
		return costs->is_known ? costs->self : NAN;
	case BY_MEAN:
		return costs->is_known ? costs->mean : NAN;
	case BY_P50:
		return costs->is_known ? costs->p50 : NAN;
	case BY_P95:
		return costs->is_known ? costs->p95 : NAN;
	case BY_P99:
		return costs->is_known ? costs->p99 : NAN;
	case BY_SHARE_BEFORE:
		return before->is_known ? before->share : NAN;
	case BY_MEAN_BEFORE:
		return before->is_known ? before->mean : NAN;
	case BY_TIMES:
		return before->is_known && costs->is_known && before->mean > 0
			       ? costs->mean / before->mean
			       : NAN;
	case BY_FUNCTION:
	case BY_METRIC:
	case ENTRY_ORDERS:
		break;
	}
	return NAN;
}

/* Largest first; names and metrics ascending; unless reversed. */
static int entry_compare(const struct explorer_entry *a, const struct explorer_entry *b,
			 const struct list_entries *entries)
{
	const bool reversed = entries->is_reversed;
	const int sign = reversed ? -1 : 1;

	if (entries->order == BY_FUNCTION)
		return sign * strcasecmp(a->function, b->function);
	if (entries->order == BY_METRIC)
		return sign * ((a->metric > b->metric) - (a->metric < b->metric));
	return compare_known(list_entries_number(a, entries->order),
			     list_entries_number(b, entries->order), reversed);
}

static int compare_indices(const void *a, const void *b, void *context)
{
	const struct list_entries *entries = context;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const int order = entry_compare(&entries->all[i], &entries->all[j], entries);

	return order ? order : (i > j) - (i < j);
}

void list_entries_arrange(struct list_entries *entries)
{
	const char *filter = entries->filter.n > 0 ? entries->filter.bytes : NULL;

	free(entries->shown);
	entries->shown = mem_alloc(entries->n * sizeof(*entries->shown));
	entries->n_shown = 0;
	for (size_t i = 0; i < entries->n; i++)
		if (entry_is_wanted(&entries->all[i], filter))
			entries->shown[entries->n_shown++] = i;
	qsort_r(entries->shown, entries->n_shown, sizeof(*entries->shown), compare_indices,
		entries);
}

static bool entry_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : !a && !b;
}

bool list_entries_same_function(const struct explorer_entry *a, const struct explorer_entry *b)
{
	return !strcmp(a->function, b->function) && entry_same_text(a->file, b->file) &&
	       entry_same_text(a->module, b->module);
}

bool list_entries_is_same(const struct explorer_entry *a, const struct explorer_entry *b)
{
	return a->metric == b->metric && list_entries_same_function(a, b);
}

size_t list_entries_find(const struct list_entries *entries, const struct explorer_entry *like)
{
	size_t i;

	for (i = 0; like && i < entries->n; i++)
		if (list_entries_is_same(&entries->all[i], like))
			return i;
	return entries->n;
}

size_t list_entries_find_shown(const struct list_entries *entries,
			       const struct explorer_entry *like)
{
	for (size_t i = 0; like && i < entries->n_shown; i++)
		if (list_entries_is_same(&entries->all[entries->shown[i]], like))
			return i;
	return entries->n_shown;
}

size_t list_entries_next_metric(const struct list_entries *entries, size_t from, int by)
{
	size_t at = from;

	do {
		at = (at + entries->n + (size_t)by) % entries->n;
	} while (at != from && !list_entries_same_function(&entries->all[at], &entries->all[from]));
	return at;
}
