/* What a profile has costs of: functions, and sites in them whose allocations are known apart. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/samples/site_columns.h"
#include "db.h"
#include "schema.h"

struct site_row {
	int64_t function;
	const char *column;
};

struct site_rows {
	struct site_row *list; /* by function */
	size_t n, capacity;
};

static bool read_site(struct profile *profile, sqlite3_stmt *statement, size_t *budget,
		      struct site_rows *rows, struct err *err)
{
	struct site_row row;

	if (!db_column_int(profile, statement, 0, &row.function, err) ||
	    !db_column_text(profile, statement, 1, profile->arena, budget, &row.column, err))
		return false;
	if (!row.column)
		return db_damaged(profile, "a column without a name", err);
	rows->list = mem_grow(rows->list, &rows->capacity, rows->n + 1, sizeof(*rows->list));
	rows->list[rows->n++] = row;
	return true;
}

static bool read_sites(struct profile *profile, struct site_rows *rows, struct err *err)
{
	sqlite3_stmt *statement;
	size_t budget;
	bool row = true;
	bool ok;

	if (!db_size(profile, &budget, err) ||
	    !db_prepare(profile, &statement, err,
			"SELECT function, name FROM variable WHERE role = %Q AND name GLOB '%s*' "
			"ORDER BY function, id",
			schema_role_name(COLUMN_KEY), SITE_COLUMN_PREFIX))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = read_site(profile, statement, &budget, rows, err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

/* A subject of its own, once. */
static const char *key_of_site(struct profile *profile, const struct function_entry *of,
			       const char *column)
{
	struct arena *arena = profile->arena;
	const char *suffix = site_columns_suffix(column);
	const char *key = arena_printf(arena, "%s%s", of->key, suffix);
	struct function_entry *entry;

	if (profile_functions_find(&profile->functions, key))
		return key;
	entry = arena_new(arena, struct function_entry);
	*entry = *of;
	entry->key = key;
	entry->name = arena_printf(arena, "%s%s", of->name, suffix);
	entry->linkage = arena_printf(arena, "%s%s", of->linkage, suffix);
	entry->site = column;
	entry->of = of;
	memset(&entry->hh, 0, sizeof(entry->hh));
	HASH_ADD_KEYPTR(hh, profile->functions.by_key, entry->key, strlen(key), entry);
	return key;
}

static size_t first_site(const struct site_rows *rows, int64_t function)
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

bool profile_subjects(struct profile *profile, const char *const **ret, size_t *ret_n,
		      struct err *err)
{
	struct site_rows rows = {0};
	const char *const *functions;
	const size_t n = profile_functions(profile, &functions);
	const char **keys;
	size_t n_keys = 0;

	if (!read_sites(profile, &rows, err)) {
		free(rows.list);
		return false;
	}
	keys = arena_array(profile->arena, const char *, n + rows.n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct function_entry *of =
			profile_functions_find(&profile->functions, functions[i]);

		keys[n_keys++] = functions[i];
		for (size_t k = first_site(&rows, of->id);
		     k < rows.n && rows.list[k].function == of->id; k++)
			keys[n_keys++] = key_of_site(profile, of, rows.list[k].column);
	}
	free(rows.list);
	*ret = keys;
	*ret_n = n_keys;
	return true;
}
