/* The functions of a profile: read once, found by key, listed by name. They are never removed. */
#include <stdlib.h>
#include <string.h>

#include "profile/db.h"

static const char *key_long(struct arena *arena, const struct function_entry *entry)
{
	return arena_printf(arena, "%s@%s:%u", entry->linkage, entry->file ? entry->file : "?",
			    entry->line);
}

const struct function_entry *functions_find(const struct function_list *list, const char *key)
{
	struct function_entry *entry;

	HASH_FIND_STR(list->by_key, key, entry);
	return entry;
}

static bool same_place(const struct function_entry *entry, const char *file, unsigned line)
{
	if (entry->line != line || !entry->file != !file)
		return false;
	return !file || !strcmp(entry->file, file);
}

/* Static functions of C can share their name; the place where they are defined tells them apart. */
const struct function_entry *functions_find_place(const struct function_list *list,
						  const char *linkage, const char *file,
						  unsigned line)
{
	const struct function_entry *entry = functions_find(list, linkage);
	struct function_entry like = {.linkage = linkage, .file = file, .line = line};
	struct arena *arena;

	if (!entry || same_place(entry, file, line))
		return entry;
	arena = arena_create();
	entry = functions_find(list, key_long(arena, &like));
	arena_destroy(arena);
	return entry;
}

static bool add_entry(struct profile *profile, struct function_entry *entry, struct err *err)
{
	struct function_list *list = &profile->functions;

	entry->key = entry->linkage;
	if (functions_find(list, entry->key))
		entry->key = key_long(profile->arena, entry);
	if (functions_find(list, entry->key))
		return db_damaged(profile, "a function is in it twice", err);
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
	    !db_column_int(profile, statement, 4, &line, err))
		return false;
	if (entry->id <= profile->functions.last_id)
		return db_damaged(profile, "its functions are not in order", err);
	if (!entry->name || !entry->linkage || line > UINT32_MAX)
		return db_damaged(profile, "a function without a name", err);
	entry->line = line;
	return add_entry(profile, entry, err);
}

bool functions_load(struct profile *profile, struct err *err)
{
	sqlite3_stmt *statement;
	size_t budget;
	bool row = true;
	bool ok;

	if (!db_size(profile, &budget, err))
		return false;
	if (!db_prepare(profile, &statement, err,
			"SELECT id, name, linkage, file, line FROM function WHERE id > %lld "
			"ORDER BY id",
			(long long)profile->functions.last_id))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = read_entry(profile, statement, &budget, err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

static int compare_keys(const void *a, const void *b, void *list)
{
	const struct function_entry *x = functions_find(list, *(const char *const *)a);
	const struct function_entry *y = functions_find(list, *(const char *const *)b);
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->key, y->key);
}

void functions_sort(const struct function_list *list)
{
	if (list->n)
		qsort_r(list->keys, list->n, sizeof(*list->keys), compare_keys, (void *)list);
}

void functions_deinit(struct function_list *list)
{
	HASH_CLEAR(hh, list->by_key);
	free(list->keys);
}
