/*
 * Null-ness from absence. A value that was read proves that no pointer on its path was null. A
 * value absent as null proves that its last pointer was null only if all before it are known not to
 * be; so shorter paths go first. Thread-local memory that does not exist yet also makes a global
 * absent as null, and the expression does not show it; so nothing is concluded about the first
 * pointer of a global.
 */
#include "nullness.h"

#include <string.h>

#include "pointer_chain.h"

/* A feature and the pointers it is read through. */
struct null_path {
	const struct column *column;
	struct null_pointer *pointers[CHAIN_MAX];
	size_t n;
	struct null_pointer *self; /* the pointer that the feature itself tests, or NULL */
	bool complete;
};

static struct null_pointer *find_pointer(struct nullness *nullness, const struct chain_part *part,
					 enum provenance provenance)
{
	struct null_pointer *pointer;

	for (size_t i = 0; i < nullness->n_pointers; i++) {
		pointer = nullness->pointers[i];
		if (pointer->provenance == provenance && strlen(pointer->name) == part->length &&
		    !memcmp(pointer->name, part->text, part->length))
			return pointer;
	}
	if (nullness->n_pointers == POINTERS_MAX)
		return NULL;
	pointer = arena_new(nullness->arena, struct null_pointer);
	pointer->name = arena_printf(nullness->arena, "%.*s", (int)part->length, part->text);
	pointer->depth = part->depth;
	pointer->provenance = provenance;
	nullness->pointers[nullness->n_pointers++] = pointer;
	return pointer;
}

static bool is_read(const struct column *column)
{
	if (column->role != COLUMN_FEATURE)
		return false;
	switch (column->provenance) {
	case FROM_PARAMETER:
	case FROM_GLOBAL:
	case FROM_RETURN:
		return true;
	case FROM_SYSTEM:
	case FROM_IMPORT:
	case PROVENANCE_COUNT:
		break;
	}
	return false;
}

static void take_witness(struct null_pointer *pointer, const struct column *column)
{
	if (!pointer->witness || strcmp(column->name, pointer->witness) < 0)
		pointer->witness = column->name;
}

static void nullness_add_path(struct nullness *nullness, const struct column *column)
{
	struct null_path path = {.column = column};
	struct pointer_chain chain;

	if (!pointer_chain_find(column->name, &chain))
		return;
	path.complete = chain.complete;
	for (; path.n < chain.n; path.n++) {
		path.pointers[path.n] =
			find_pointer(nullness, &chain.pointers[path.n], column->provenance);
		if (!path.pointers[path.n])
			return;
	}
	if (path.n)
		take_witness(path.pointers[path.n - 1], column);
	if (chain.self.length)
		path.self = find_pointer(nullness, &chain.self, column->provenance);
	nullness->paths[nullness->n_paths++] = path;
}

void nullness_init(struct nullness *nullness, const struct samples *samples)
{
	*nullness = (struct nullness){.arena = arena_create(), .samples = samples};
	nullness->paths = arena_array(nullness->arena, struct null_path, samples->n_columns + 1);
	for (size_t i = 0; i < samples->n_columns; i++)
		if (is_read(&samples->columns[i]))
			nullness_add_path(nullness, &samples->columns[i]);
}

/* A value proves that the pointers on its path were not null. */
static void follow_present(const struct null_path *path, size_t n_rows)
{
	const struct column *column = path->column;
	size_t row, i;

	for (row = 0; row < n_rows; row++) {
		if (column->absence[row] != PRESENT)
			continue;
		for (i = 0; i < path->n; i++)
			path->pointers[i]->states[row] = NOT_NULL;
		if (path->self && path->self->states[row] == UNKNOWN)
			path->self->states[row] = column->numbers[row] != 0 ? NOT_NULL : IS_NULL;
	}
}

static void follow_null(const struct null_path *path, size_t n_rows)
{
	struct null_pointer *last = path->n ? path->pointers[path->n - 1] : NULL;
	size_t row, i;

	if (!path->complete || !last || (path->n == 1 && path->column->provenance == FROM_GLOBAL))
		return;
	for (row = 0; row < n_rows; row++) {
		if (path->column->absence[row] != ABSENT_NULL || last->states[row] != UNKNOWN)
			continue;
		for (i = 0; i + 1 < path->n && path->pointers[i]->states[row] == NOT_NULL; i++)
			;
		if (i + 1 == path->n)
			last->states[row] = IS_NULL;
	}
}

/* Shorter paths first: longer ones use their results. */
void nullness_conclude(struct nullness *nullness)
{
	const size_t n_rows = nullness->samples->n_rows;
	size_t length, i;

	for (i = 0; i < nullness->n_pointers; i++)
		nullness->pointers[i]->states = arena_alloc(nullness->arena, n_rows);
	for (i = 0; i < nullness->n_paths; i++)
		follow_present(&nullness->paths[i], n_rows);
	for (length = 1; length <= CHAIN_MAX; length++)
		for (i = 0; i < nullness->n_paths; i++)
			if (nullness->paths[i].n == length)
				follow_null(&nullness->paths[i], n_rows);
}

void nullness_deinit(struct nullness *nullness)
{
	arena_destroy(nullness->arena);
}
