/* Profiles of older versions become ones of today, in place and within one transaction. */
#include <stdio.h>

#include "profile/profile.h"
#include "profile/schema.h"

/* Something for every function. */
static bool each_function(struct profile *profile,
			  bool (*change)(struct profile *, int64_t, struct err *), struct err *err)
{
	sqlite3_stmt *statement;
	bool row = true;
	bool ok;

	if (!db_prepare(profile, &statement, err, "SELECT id FROM function ORDER BY id"))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = change(profile, sqlite3_column_int64(statement, 0), err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

static bool add_process(struct profile *profile, int64_t function, struct err *err)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "ALTER TABLE sample_%lld ADD COLUMN process INTEGER",
		 (long long)function);
	return db_exec(profile, sql, err);
}

/* The view of a function called like one of the new tables gives up that name. */
static bool migrate_to_2(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "DROP VIEW IF EXISTS label; DROP VIEW IF EXISTS library;"
		       "UPDATE function SET view = '#' || id || ' ' || name"
		       " WHERE lower(view) IN ('label', 'library');" SCHEMA_TABLES_OF_2,
		       err);
}

/* Which of the functions were a library's was not told. */
static bool migrate_to_3(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "ALTER TABLE function ADD COLUMN module TEXT;"
		       "UPDATE function SET module = '" MODULE_ANY "'"
		       " WHERE EXISTS (SELECT 1 FROM library)",
		       err) &&
	       each_function(profile, add_process, err);
}

bool schema_migrate(struct profile *profile, struct err *err)
{
	if (profile->version == PROFILE_VERSION)
		return true;
	if ((profile->version < 2 && !migrate_to_2(profile, err)) || !migrate_to_3(profile, err) ||
	    !each_function(profile, schema_renew_view, err) ||
	    !db_exec(profile, "PRAGMA user_version = 3", err))
		return false;
	profile->version = PROFILE_VERSION;
	return true;
}
