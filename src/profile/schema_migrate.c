/* Migrates profiles of older versions, in place, within one transaction. */
#include <stdio.h>

#include "profile.h"
#include "schema.h"

static bool migrate_each_function(struct profile *profile,
				  bool (*change)(struct profile *, int64_t, struct err *),
				  struct err *err)
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

static bool migrate_add_column(struct profile *profile, int64_t function, const char *column,
			       struct err *err)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "ALTER TABLE sample_%lld ADD COLUMN %s INTEGER",
		 (long long)function, column);
	return db_exec(profile, sql, err);
}

static bool add_process(struct profile *profile, int64_t function, struct err *err)
{
	return migrate_add_column(profile, function, "process", err);
}

static bool add_stops(struct profile *profile, int64_t function, struct err *err)
{
	return migrate_add_column(profile, function, "stops", err) &&
	       migrate_add_column(profile, function, "stopped_ns", err);
}

/* Renames the view of a function with the name of one of the new tables. */
static bool migrate_to_2(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "DROP VIEW IF EXISTS label; DROP VIEW IF EXISTS library;"
		       "UPDATE function SET view = '#' || id || ' ' || name"
		       " WHERE lower(view) IN ('label', 'library');" SCHEMA_TABLES_OF_2,
		       err);
}

/* Modules of older functions are unknown. */
static bool migrate_to_3(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "ALTER TABLE function ADD COLUMN module TEXT;"
		       "UPDATE function SET module = '" MODULE_ANY "'"
		       " WHERE EXISTS (SELECT 1 FROM library)",
		       err) &&
	       migrate_each_function(profile, add_process, err);
}

/* What runs were asked to measure, and costs by function, are unknown. */
static bool migrate_to_4(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "DROP VIEW IF EXISTS calibration; DROP VIEW IF EXISTS branch;"
		       "UPDATE function SET view = '#' || id || ' ' || name"
		       " WHERE lower(view) IN ('calibration', 'branch');"
		       "ALTER TABLE run ADD COLUMN far_stops INTEGER;"
		       "ALTER TABLE run ADD COLUMN stop_cost_ns REAL;"
		       "ALTER TABLE run ADD COLUMN branches INTEGER;"
		       "ALTER TABLE run ADD COLUMN max_overhead REAL;"
		       "ALTER TABLE run ADD COLUMN samples INTEGER;"
		       "ALTER TABLE run ADD COLUMN period_ms INTEGER;"
		       "ALTER TABLE account ADD COLUMN kept INTEGER;"
		       "ALTER TABLE account ADD COLUMN stops INTEGER;"
		       "ALTER TABLE account ADD COLUMN stopped_ns INTEGER;"
		       "ALTER TABLE account ADD COLUMN open_ns INTEGER;" SCHEMA_TABLES_OF_4,
		       err) &&
	       migrate_each_function(profile, add_stops, err);
}

/* How older runs noticed calls was not told, nor the time of calls that are no samples. */
static bool migrate_to_5(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "DROP VIEW IF EXISTS pad_calibration;"
		       "UPDATE function SET view = '#' || id || ' ' || name"
		       " WHERE lower(view) = 'pad_calibration';"
		       "ALTER TABLE run ADD COLUMN probes TEXT;"
		       "ALTER TABLE account ADD COLUMN time_ns INTEGER;" SCHEMA_TABLES_OF_5,
		       err);
}

static bool add_waited(struct profile *profile, int64_t function, struct err *err)
{
	return migrate_add_column(profile, function, "waited_ns", err);
}

/* What older calls waited for a processor is in their time. */
static bool migrate_to_6(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "DROP VIEW IF EXISTS model;"
		       "UPDATE function SET view = '#' || id || ' ' || name"
		       " WHERE lower(view) = 'model';" SCHEMA_TABLES_OF_6,
		       err) &&
	       migrate_each_function(profile, add_waited, err);
}

/* Where older runs had their stack is unknown. */
static bool migrate_to_7(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "DROP VIEW IF EXISTS layout;"
		       "UPDATE function SET view = '#' || id || ' ' || name"
		       " WHERE lower(view) = 'layout';" SCHEMA_TABLES_OF_7,
		       err);
}

/* What other machines took of older runs is unknown. */
static bool migrate_to_8(struct profile *profile, struct err *err)
{
	return db_exec(profile, "ALTER TABLE run ADD COLUMN stolen REAL", err);
}

bool schema_migrate(struct profile *profile, struct err *err)
{
	static bool (*const steps[])(struct profile *, struct err *) = {
		[2] = migrate_to_2, [3] = migrate_to_3, [4] = migrate_to_4, [5] = migrate_to_5,
		[6] = migrate_to_6, [7] = migrate_to_7, [8] = migrate_to_8};
	int64_t version = profile->version;
	char sql[40];

	if (version == PROFILE_VERSION)
		return true;
	while (++version <= PROFILE_VERSION)
		if (!steps[version](profile, err))
			return false;
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", PROFILE_VERSION);
	if (!migrate_each_function(profile, schema_renew_view, err) || !db_exec(profile, sql, err))
		return false;
	profile->version = PROFILE_VERSION;
	return true;
}
