/* Finds callers: the functions of the samples that are parents of others. */
#include "profile.h"

#include "base/arena.h"
#include "db.h"
#include "schema.h"

/* About 2 s. */
enum { LOOKUPS_MAX = 2000000 };

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

bool profile_callers(struct profile *profile, struct samples *samples, struct err *err)
{
	struct search search = {profile, samples, LOOKUPS_MAX, 0};
	const struct function_list *functions = &profile->functions;

	samples->names = arena_create();
	samples->callers = arena_array(samples->names, const char *, samples->n_rows + 1);
	for (size_t i = 0; i < samples->n_rows; i++)
		search.n_unknown += samples->keys[i].parent != 0;
	for (size_t i = 0; i < functions->n && search.n_unknown && search.n_lookups; i++)
		if (!search_function(&search, profile_functions_find(functions, functions->keys[i]),
				     err))
			return false;
	return true;
}
