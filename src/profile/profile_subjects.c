/* What a profile has costs of: functions, and places whose part of these is known apart. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/samples/part_columns.h"
#include "db.h"
#include "schema.h"

struct part_row {
	int64_t function;
	const char *suffix;
};

struct part_rows {
	struct part_row *list; /* by function */
	size_t n, capacity;
};

static bool read_part(struct profile *profile, sqlite3_stmt *statement, size_t *budget,
		      struct part_rows *rows, struct err *err)
{
	struct part_row row;
	const char *column;

	if (!db_column_int(profile, statement, 0, &row.function, err) ||
	    !db_column_text(profile, statement, 1, profile->arena, budget, &column, err))
		return false;
	if (!column)
		return db_damaged(profile, "a column without a name", err);
	row.suffix = part_columns_suffix(column);
	if (!row.suffix)
		return true;
	rows->list = mem_grow(rows->list, &rows->capacity, rows->n + 1, sizeof(*rows->list));
	rows->list[rows->n++] = row;
	return true;
}

static bool read_parts(struct profile *profile, struct part_rows *rows, struct err *err)
{
	sqlite3_stmt *statement;
	size_t budget;
	bool row = true;
	bool ok;

	if (!db_size(profile, &budget, err) ||
	    !db_prepare(profile, &statement, err,
			"SELECT function, name FROM variable WHERE role = %Q AND "
			"(name GLOB '%s*' OR name GLOB '*%s*') ORDER BY function, id",
			schema_role_name(COLUMN_KEY), PART_COLUMN_SITE, PART_COLUMN_SERVER))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = read_part(profile, statement, &budget, rows, err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

/* A subject of its own, once. */
static const char *key_of_part(struct profile *profile, const struct function_entry *of,
			       const char *suffix)
{
	struct arena *arena = profile->arena;
	const char *key = arena_printf(arena, "%s%s", of->key, suffix);
	struct function_entry *entry;

	if (profile_functions_find(&profile->functions, key))
		return key;
	entry = arena_new(arena, struct function_entry);
	*entry = *of;
	entry->key = key;
	entry->name = arena_printf(arena, "%s%s", of->name, suffix);
	entry->linkage = arena_printf(arena, "%s%s", of->linkage, suffix);
	entry->part = suffix;
	entry->of = of;
	memset(&entry->hh, 0, sizeof(entry->hh));
	HASH_ADD_KEYPTR(hh, profile->functions.by_key, entry->key, strlen(key), entry);
	return key;
}

static size_t first_part(const struct part_rows *rows, int64_t function)
{
	size_t low = 0, high = rows->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rows->list[middle].function < function)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Once each, though there may be a column for each metric; returns how many keys there are then. */
static size_t add_parts(struct profile *profile, const struct part_rows *rows,
			const struct function_entry *of, const char **keys, size_t n)
{
	const size_t first = n;

	for (size_t i = first_part(rows, of->id); i < rows->n && rows->list[i].function == of->id;
	     i++) {
		const char *key = key_of_part(profile, of, rows->list[i].suffix);
		size_t k = first;

		while (k < n && strcmp(keys[k], key) != 0)
			k++;
		if (k == n)
			keys[n++] = key;
	}
	return n;
}

bool profile_subjects(struct profile *profile, const char *const **ret, size_t *ret_n,
		      struct err *err)
{
	struct part_rows rows = {0};
	const char *const *functions;
	const size_t n = profile_functions(profile, &functions);
	const char **keys;
	size_t n_keys = 0;

	if (!read_parts(profile, &rows, err)) {
		free(rows.list);
		return false;
	}
	keys = arena_array(profile->arena, const char *, n + rows.n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct function_entry *of =
			profile_functions_find(&profile->functions, functions[i]);

		keys[n_keys++] = functions[i];
		n_keys = add_parts(profile, &rows, of, keys, n_keys);
	}
	free(rows.list);
	*ret = keys;
	*ret_n = n_keys;
	return true;
}
