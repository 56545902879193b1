/* Finds callers: the functions of the samples that are parents of others. */
#include "profile.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "db.h"
#include "schema.h"

enum {
	LOOKUPS_MAX = 2000000, /* about 2 s */
	OWNERS_MAX = 4 << 20,  /* 64 MB */
	NAMES = 8,             /* of callers, remembered */
};

struct search {
	struct profile *profile;
	struct samples *samples;
	size_t n_lookups; /* left */
	size_t n_unknown; /* rows with a parent, whose function is not known yet */
};

/* Set @caller's name in rows of unknown caller whose parent is in @statement's table. */
static bool find_parents(struct search *search, sqlite3_stmt *statement,
			 const struct function_entry *caller, struct err *err)
{
	struct samples *samples = search->samples;
	const char *name = arena_strdup(samples->names, caller->name);
	bool found = false;
	bool ok = true;

	for (size_t i = 0; ok && i < samples->n_rows && search->n_lookups; i++) {
		if (!samples->keys[i].parent || samples->callers[i])
			continue;
		search->n_lookups--;
		sqlite3_bind_int64(statement, 1, samples->keys[i].parent);
		ok = db_step(search->profile, statement, &found, err);
		if (ok && found) {
			samples->callers[i] = name;
			search->n_unknown--;
		}
		sqlite3_reset(statement);
	}
	return ok;
}

static bool search_function(struct search *search, const struct function_entry *caller,
			    struct err *err)
{
	sqlite3_stmt *statement = NULL;
	const bool ok =
		schema_check_samples(search->profile, caller->id, err) &&
		db_prepare(search->profile, &statement, err,
			   "SELECT 1 FROM sample_%lld WHERE id = ?", (long long)caller->id) &&
		find_parents(search, statement, caller, err);

	sqlite3_finalize(statement);
	return ok;
}

static bool add_owners(struct profile *profile, const struct function_entry *function,
		       struct err *err)
{
	struct sample_owners *owners = &profile->owners;
	sqlite3_stmt *statement;
	int64_t last = 0, id;
	bool row = true, ok;

	if (!schema_check_samples(profile, function->id, err) ||
	    !db_prepare(profile, &statement, err, "SELECT id FROM sample_%lld ORDER BY id",
			(long long)function->id))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row && owners->n < OWNERS_MAX) {
		id = sqlite3_column_int64(statement, 0);
		if (id <= last) {
			ok = db_damaged(profile, "its samples are not in order", err);
			break;
		}
		last = id;
		owners->list = mem_grow(owners->list, &owners->capacity, owners->n + 1,
					sizeof(*owners->list));
		owners->list[owners->n++] = (struct sample_owner){id, function};
	}
	sqlite3_finalize(statement);
	return ok;
}

static int compare_owners(const void *a, const void *b)
{
	const int64_t x = ((const struct sample_owner *)a)->id;
	const int64_t y = ((const struct sample_owner *)b)->id;

	return (x > y) - (x < y);
}

static bool make_owners(struct profile *profile, struct err *err)
{
	const struct function_list *functions = &profile->functions;
	struct sample_owners *owners = &profile->owners;

	owners->n = 0;
	for (size_t i = 0; i < functions->n; i++)
		if (!add_owners(profile, profile_functions_find(functions, functions->keys[i]),
				err))
			return false;
	if (owners->n)
		qsort(owners->list, owners->n, sizeof(*owners->list), compare_owners);
	owners->is_made = true;
	owners->is_whole = owners->n < OWNERS_MAX;
	return true;
}

static void find_owners(const struct sample_owners *owners, struct samples *samples)
{
	const struct function_entry *known[NAMES] = {NULL};
	const char *names[NAMES] = {NULL};

	for (size_t i = 0; i < samples->n_rows; i++) {
		const struct sample_owner key = {.id = samples->keys[i].parent}, *found;
		size_t at;

		found = key.id && owners->n ? bsearch(&key, owners->list, owners->n, sizeof(key),
						      compare_owners)
					    : NULL;
		if (!found)
			continue;
		at = (size_t)found->function->id % NAMES;
		if (known[at] != found->function) {
			known[at] = found->function;
			names[at] = arena_strdup(samples->names, found->function->name);
		}
		samples->callers[i] = names[at];
	}
}

/* Are callers looked for again and again, in a profile that is read? */
static bool wants_owners(struct profile *profile)
{
	const bool ret = profile->owners.is_wanted && sqlite3_db_readonly(profile->db, "main") == 1;

	profile->owners.is_wanted = true;
	return ret;
}

bool profile_callers(struct profile *profile, struct samples *samples, struct err *err)
{
	struct search search = {profile, samples, LOOKUPS_MAX, 0};
	const struct function_list *functions = &profile->functions;

	samples->names = arena_create();
	samples->callers = arena_array(samples->names, const char *, samples->n_rows + 1);
	for (size_t i = 0; i < samples->n_rows; i++)
		search.n_unknown += samples->keys[i].parent != 0;
	if (search.n_unknown && wants_owners(profile)) {
		if (!profile->owners.is_made && !make_owners(profile, err))
			return false;
		if (profile->owners.is_whole) {
			find_owners(&profile->owners, samples);
			return true;
		}
	}
	for (size_t i = 0; i < functions->n && search.n_unknown && search.n_lookups; i++)
		if (!search_function(&search, profile_functions_find(functions, functions->keys[i]),
				     err))
			return false;
	return true;
}
