/* The functions of a profile: loaded once, found by key, listed by name. They are never removed. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "db.h"

enum { KEYS_MAX = 3 };

/* The keys that a function may have, shortest first; returns how many. */
static size_t keys_of(struct arena *arena, const struct function_place *place,
		      const char *ret[KEYS_MAX])
{
	const char *file = place->file ? place->file : "?";

	ret[0] = place->linkage;
	if (!place->module || !strcmp(place->module, MODULE_ANY)) {
		ret[1] = arena_printf(arena, "%s@%s:%u", place->linkage, file, place->line);
		return 2;
	}
	ret[1] = arena_printf(arena, "%s@%s", place->linkage, place->module);
	ret[2] = arena_printf(arena, "%s@%s@%s:%u", place->linkage, place->module, file,
			      place->line);
	return 3;
}

const struct function_entry *profile_functions_find(const struct function_list *list,
						    const char *key)
{
	struct function_entry *entry;

	HASH_FIND_STR(list->by_key, key, entry);
	return entry;
}

static bool key_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_at(const struct function_entry *entry, const struct function_place *place)
{
	return entry->line == place->line && key_same_text(entry->linkage, place->linkage) &&
	       key_same_text(entry->file, place->file) &&
	       key_same_text(entry->module, place->module);
}

static const struct function_entry *find_at(const struct function_list *list,
					    const struct function_place *place)
{
	struct arena *arena = arena_create();
	const struct function_entry *found = NULL;
	const char *keys[KEYS_MAX];
	size_t n = keys_of(arena, place, keys);

	for (size_t i = 0; i < n && !found; i++) {
		found = profile_functions_find(list, keys[i]);
		if (found && !is_at(found, place))
			found = NULL;
	}
	arena_destroy(arena);
	return found;
}

/* Static C functions, and functions of several programs, may differ only in their place. */
const struct function_entry *profile_functions_find_place(const struct function_list *list,
							  const struct function_place *place)
{
	const struct function_entry *found = find_at(list, place);
	struct function_place anywhere = *place;

	anywhere.module = MODULE_ANY;
	return found ? found : find_at(list, &anywhere);
}

static bool profile_entry_add(struct profile *profile, struct function_entry *entry,
			      struct err *err)
{
	const struct function_place place = {entry->linkage, entry->file, entry->line,
					     entry->module};
	struct function_list *list = &profile->functions;
	const char *keys[KEYS_MAX];
	size_t n = keys_of(profile->arena, &place, keys);
	size_t i = 0;

	while (i < n && profile_functions_find(list, keys[i]))
		i++;
	if (i == n)
		return db_damaged(profile, "a function is in it twice", err);
	entry->key = keys[i];
	list->keys = mem_grow(list->keys, &list->capacity, list->n + 1, sizeof(*list->keys));
	list->keys[list->n++] = entry->key;
	list->last_id = entry->id;
	HASH_ADD_KEYPTR(hh, list->by_key, entry->key, strlen(entry->key), entry);
	return true;
}

static bool read_entry(struct profile *profile, sqlite3_stmt *statement, size_t *budget,
		       struct err *err)
{
	struct function_entry *entry = arena_new(profile->arena, struct function_entry);
	struct arena *arena = profile->arena;
	int64_t line;

	if (!db_column_int(profile, statement, 0, &entry->id, err) ||
	    !db_column_text(profile, statement, 1, arena, budget, &entry->name, err) ||
	    !db_column_text(profile, statement, 2, arena, budget, &entry->linkage, err) ||
	    !db_column_text(profile, statement, 3, arena, budget, &entry->file, err) ||
	    !db_column_int(profile, statement, 4, &line, err) ||
	    !db_column_text(profile, statement, 5, arena, budget, &entry->module, err))
		return false;
	if (entry->id <= profile->functions.last_id)
		return db_damaged(profile, "its functions are not in order", err);
	if (!entry->name || !entry->linkage || line > UINT32_MAX)
		return db_damaged(profile, "a function without a name", err);
	entry->line = line;
	entry->of = entry;
	return profile_entry_add(profile, entry, err);
}

bool profile_functions_load(struct profile *profile, struct err *err)
{
	sqlite3_stmt *statement;
	size_t budget;
	bool row = true;
	bool ok;

	if (!db_size(profile, &budget, err))
		return false;
	if (!db_prepare(profile, &statement, err,
			"SELECT id, name, linkage, file, line, %s FROM function WHERE id > %lld "
			"ORDER BY id",
			profile->version < 3 ? "NULL" : "module",
			(long long)profile->functions.last_id))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = read_entry(profile, statement, &budget, err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

static int entry_compare_keys(const void *a, const void *b, void *list)
{
	const struct function_entry *x = profile_functions_find(list, *(const char *const *)a);
	const struct function_entry *y = profile_functions_find(list, *(const char *const *)b);
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->key, y->key);
}

void profile_functions_sort(const struct function_list *list)
{
	if (list->n)
		qsort_r(list->keys, list->n, sizeof(*list->keys), entry_compare_keys, (void *)list);
}

void profile_functions_forget(struct function_list *list)
{
	HASH_CLEAR(hh, list->by_key);
	list->n = 0;
	list->last_id = 0;
}

void profile_functions_deinit(struct function_list *list)
{
	HASH_CLEAR(hh, list->by_key);
	free(list->keys);
}
