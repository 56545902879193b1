/*
 * Decides which derived columns a table gets, and fills them. nullness.c infers what is known of
 * pointers.
 */
#include "derived_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "nullness.h"
#include "ordered_pairs.h"
#include "pointer_chain.h"

#define MINUS " - "

static bool varies(const struct null_pointer *pointer, size_t n_rows)
{
	return memchr(pointer->states, IS_NULL, n_rows) &&
	       memchr(pointer->states, NOT_NULL, n_rows);
}

static bool pointer_is_known(const struct null_pointer *pointer, size_t n_rows)
{
	return memchr(pointer->states, IS_NULL, n_rows) ||
	       memchr(pointer->states, NOT_NULL, n_rows);
}

static bool has_feature(const struct samples *samples, const char *name)
{
	return samples_find_column(samples, COLUMN_FEATURE, name) < samples->n_columns;
}

static struct column *derived_add_column(struct samples *samples, const char *name,
					 enum feature_type type, enum provenance provenance,
					 unsigned depth)
{
	const struct column like = {.name = name,
				    .role = COLUMN_FEATURE,
				    .type = type,
				    .is_derived = true,
				    .provenance = provenance,
				    .depth = depth};
	const size_t at = samples_add_column(samples, &like);

	return &samples->columns[at];
}

static void write_pointer(struct samples *samples, const struct null_pointer *pointer,
			  const char *name)
{
	struct column *column = derived_add_column(samples, name, FEATURE_BOOL, pointer->provenance,
						   pointer->depth);
	const struct column *read =
		&samples->columns[samples_find_column(samples, COLUMN_FEATURE, pointer->witness)];
	size_t row;

	for (row = 0; row < samples->n_rows; row++) {
		const bool known = pointer->states[row] != UNKNOWN;

		column->absence[row] = known ? PRESENT : read->absence[row];
		column->numbers[row] = pointer->states[row] == NOT_NULL;
	}
}

static const char *null_test(struct arena *arena, const struct null_pointer *pointer)
{
	return arena_printf(arena, "%s != 0", pointer->name);
}

static int by_depth(const void *a, const void *b)
{
	const struct null_pointer *const *left = a;
	const struct null_pointer *const *right = b;
	const int order = strcmp((*left)->name, (*right)->name);

	if ((*left)->depth != (*right)->depth)
		return (*left)->depth < (*right)->depth ? -1 : 1;
	return order ? order
		     : ((*left)->provenance > (*right)->provenance) -
			       ((*left)->provenance < (*right)->provenance);
}

/* What to add: all that vary, or one that may be constant. */
struct derived_request {
	const char *name; /* NULL: all */
	size_t room;
};

static bool derived_is_requested(const struct samples *samples,
				 const struct derived_request *request, const char *name)
{
	return request->room && (!request->name || !strcmp(request->name, name)) &&
	       !has_feature(samples, name);
}

/* Most tables already have a column for each of their pointers. */
static bool derived_is_needed(const struct nullness *nullness,
			      const struct derived_request *request)
{
	for (size_t i = 0; i < nullness->n_pointers; i++)
		if (nullness->pointers[i]->witness &&
		    derived_is_requested(nullness->samples, request,
					 null_test(nullness->arena, nullness->pointers[i])))
			return true;
	return false;
}

static void derive_pointers(struct samples *samples, struct derived_request *request)
{
	struct nullness nullness;

	nullness_init(&nullness, samples);
	if (derived_is_needed(&nullness, request)) {
		nullness_conclude(&nullness);
		qsort(nullness.pointers, nullness.n_pointers, sizeof(*nullness.pointers), by_depth);
		for (size_t i = 0; i < nullness.n_pointers; i++) {
			const struct null_pointer *pointer = nullness.pointers[i];
			const char *name = null_test(nullness.arena, pointer);

			if (!pointer->witness || !derived_is_requested(samples, request, name) ||
			    !(request->name ? pointer_is_known : varies)(pointer, samples->n_rows))
				continue;
			write_pointer(samples, pointer, name);
			request->room--;
		}
	}
	nullness_deinit(&nullness);
}

/* Does the run whose rows begin with @first have the column? *@ret_end: behind its rows. */
static bool run_has(const struct samples *samples, const struct column *column, size_t first,
		    size_t *ret_end)
{
	size_t row;

	for (row = first;
	     row < samples->n_rows && samples->keys[row].run == samples->keys[first].run; row++)
		;
	*ret_end = row;
	return memchr(column->absence + first, PRESENT, row - first);
}

/* Write whether the cells of @from have values; false: the same in all rows. */
static bool write_defined(const struct samples *samples, const struct column *from,
			  uint8_t *ret_absence, double *ret_numbers)
{
	bool any[2] = {false, false};
	size_t row, end;

	for (row = 0; row < samples->n_rows; row = end) {
		const bool has = run_has(samples, from, row, &end);
		size_t i;

		for (i = row; i < end; i++) {
			const bool empty = has && from->absence[i] == ABSENT_NOT_MEASURED;
			const bool known = empty || from->absence[i] == PRESENT;

			ret_absence[i] = known ? PRESENT : from->absence[i];
			ret_numbers[i] = known && !empty;
			any[0] |= empty;
			any[1] |= known && !empty;
		}
	}
	return any[0] && any[1];
}

/*
 * Does a derived column already equal this one in all rows? Columns that are empty together are one
 * fact.
 */
static bool derived_is_duplicate(const struct samples *samples, const uint8_t *absence,
				 const double *numbers)
{
	const size_t n = samples->n_rows;

	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].is_derived &&
		    !memcmp(samples->columns[i].absence, absence, n) &&
		    !memcmp(samples->columns[i].numbers, numbers, n * sizeof(*numbers)))
			return true;
	return false;
}

static int pointer_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The sorted names of imported features, in @arena; returns how many. */
static size_t imported_names(struct arena *arena, const struct samples *samples, const char ***ret)
{
	size_t n = 0;

	*ret = arena_array(arena, const char *, samples->n_columns + 1);
	for (size_t i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_FEATURE &&
		    samples->columns[i].provenance == FROM_IMPORT &&
		    !samples->columns[i].is_derived)
			(*ret)[n++] = samples->columns[i].name;
	qsort(*ret, n, sizeof(**ret), pointer_by_name);
	return n;
}

static void derive_defined(struct samples *samples, struct derived_request *request)
{
	struct arena *arena = arena_create();
	uint8_t *absence = arena_alloc(arena, samples->n_rows);
	double *numbers = arena_array(arena, double, samples->n_rows);
	const char **names;
	const size_t n = imported_names(arena, samples, &names);

	for (size_t i = 0; i < n; i++) {
		const size_t from = samples_find_column(samples, COLUMN_FEATURE, names[i]);
		const char *name = arena_printf(arena, "defined(%s)", names[i]);
		struct column *column;
		bool varies;

		if (!derived_is_requested(samples, request, name))
			continue;
		varies = write_defined(samples, &samples->columns[from], absence, numbers);
		if (!request->name && (!varies || derived_is_duplicate(samples, absence, numbers)))
			continue;
		column = derived_add_column(samples, name, FEATURE_BOOL, FROM_IMPORT,
					    samples->columns[from].depth);
		memcpy(column->absence, absence, samples->n_rows);
		memcpy(column->numbers, numbers, samples->n_rows * sizeof(*numbers));
		request->room--;
	}
	arena_destroy(arena);
}

static void write_difference(struct samples *samples, const char *name,
			     const struct ordered_pair *pair)
{
	const struct column *high = &samples->columns[pair->high];
	const struct column *low = &samples->columns[pair->low];
	const unsigned depth = high->depth > low->depth ? high->depth : low->depth;
	struct column *column =
		derived_add_column(samples, name, FEATURE_INT, high->provenance, depth);

	high = &samples->columns[pair->high];
	low = &samples->columns[pair->low];
	for (size_t row = 0; row < samples->n_rows; row++) {
		const uint8_t absence =
			high->absence[row] != PRESENT ? high->absence[row] : low->absence[row];

		column->absence[row] = absence;
		column->numbers[row] =
			absence == PRESENT ? high->numbers[row] - low->numbers[row] : 0;
	}
}

/* The columns whose difference has that name; false: it is none. */
static bool find_parts(const struct samples *samples, const char *name, struct ordered_pair *ret)
{
	for (size_t i = 0; i < samples->n_columns; i++) {
		const size_t length = strlen(samples->columns[i].name);

		if (samples->columns[i].role != COLUMN_FEATURE ||
		    strncmp(name, samples->columns[i].name, length) != 0 ||
		    strncmp(name + length, MINUS, strlen(MINUS)) != 0)
			continue;
		ret->high = i;
		ret->low =
			samples_find_column(samples, COLUMN_FEATURE, name + length + strlen(MINUS));
		if (ret->low < samples->n_columns)
			return true;
	}
	return false;
}

static void derive_differences(struct samples *samples, struct derived_request *request)
{
	struct ordered_pair pairs[ORDERED_PAIRS_MAX];
	struct arena *arena = arena_create();
	const size_t n = request->name ? find_parts(samples, request->name, &pairs[0])
				       : ordered_pairs_find(samples, pairs);

	for (size_t i = 0; i < n; i++) {
		const char *name =
			arena_printf(arena, "%s%s%s", samples->columns[pairs[i].high].name, MINUS,
				     samples->columns[pairs[i].low].name);

		if (!derived_is_requested(samples, request, name))
			continue;
		write_difference(samples, name, &pairs[i]);
		request->room--;
	}
	arena_destroy(arena);
}

static void derive(struct samples *samples, struct derived_request request)
{
	derive_pointers(samples, &request);
	derive_defined(samples, &request);
	derive_differences(samples, &request);
}

void derived_columns_add(struct samples *samples)
{
	struct derived_request all = {.room = DERIVED_MAX};

	for (size_t i = 0; i < samples->n_columns && all.room; i++)
		all.room -= samples->columns[i].is_derived;
	derive(samples, all);
}

static void derive_named(struct samples *samples, const char *expression)
{
	const bool may_be = strstr(expression, " != 0") || strstr(expression, MINUS) ||
			    !strncmp(expression, "defined(", 8);

	if (may_be && !has_feature(samples, expression))
		derive(samples, (struct derived_request){.name = expression, .room = 1});
}

bool derived_columns_is_part(const char *expression, const char *derived)
{
	const char *minus = strstr(derived, MINUS);
	const size_t length = strlen(expression);

	for (; minus; minus = strstr(minus + 1, MINUS))
		if ((!strncmp(derived, expression, length) && minus == derived + length) ||
		    !strcmp(minus + strlen(MINUS), expression))
			return true;
	return false;
}

bool derived_columns_proves(const char *expression, const char *derived)
{
	const size_t length = strlen(expression);
	struct pointer_chain chain;

	if (!strncmp(derived, "defined(", 8) && !strncmp(derived + 8, expression, length) &&
	    !strcmp(derived + 8 + length, ")"))
		return true;
	if (!pointer_chain_find(expression, &chain))
		return false;
	for (size_t i = 0; i < chain.n; i++)
		if (!strncmp(derived, chain.pointers[i].text, chain.pointers[i].length) &&
		    !strcmp(derived + chain.pointers[i].length, " != 0"))
			return true;
	return false;
}

void derived_columns_add_for(struct samples *samples, const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		derive_named(samples, annotation->features[i].expression);
}
