/*
 * Creates, checks and extends the layout of a profile; schema_migrate.c handles older ones. Rows
 * are written in profile_write.c.
 */
#include "schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "profile.h"

/* `.schema` shows the comments, so they are in the file. */
static const char layout[] =
	"CREATE TABLE run ("
	" id INTEGER PRIMARY KEY,"
	" command TEXT,"
	" executable TEXT,"
	" build_id TEXT,"
	" host TEXT,"
	" kernel TEXT,"
	" cpu TEXT,"
	" started INTEGER /* seconds since 1970 */,"
	" duration_ns INTEGER,"
	" ended TEXT /* exited, signalled, detached, unknown; NULL: still running, or killed */,"
	" ending INTEGER /* exit status or signal */,"
	" stops INTEGER /* by breakpoints */,"
	" stopped_ns INTEGER /* time in stops */,"
	" reads INTEGER /* system calls that read features from the process's memory */,"
	" stop_bias_ns REAL /* calibrated cost of a stop beyond stopped_ns; subtracted */,"
	" far_stops INTEGER /* of the stops: they woke another, sleeping processor */,"
	" stop_cost_ns REAL /* what a stop costs the program, all in all */,"
	" branches INTEGER /* 1: outcomes of conditional branches were looked at */,"
	" max_overhead REAL /* asked for, as a part of the program's time; 0: no limit */,"
	" samples INTEGER /* kept of a function and period, at most; 0: all */,"
	" period_ms INTEGER /* 0: all of the run */,"
	" probes TEXT /* what noticed calls: stops, pads, hardware */,"
	" stolen REAL /* part of the processors' time that the hypervisor gave to others */);"
	"CREATE TABLE function ("
	" id INTEGER PRIMARY KEY,"
	" name TEXT,"
	" linkage TEXT,"
	" file TEXT,"
	" line INTEGER,"
	" module TEXT /* the library or other program that it is in; NULL: the run's executable */,"
	" view TEXT /* the view that shows its samples */);"
	"CREATE TABLE variable ("
	" id INTEGER PRIMARY KEY /* N: column vN of the function's table */,"
	" function INTEGER,"
	" role TEXT /* metric, feature, branch, key */,"
	" name TEXT /* a metric's keyword, a feature's expression, where a branch is */,"
	" unit TEXT /* of metrics */,"
	" type TEXT /* of features, like the next two */,"
	" provenance TEXT,"
	" depth INTEGER);"
	"CREATE INDEX variable_of ON variable(function);" SCHEMA_TABLES_OF_2 ";" SCHEMA_TABLES_OF_4
	";" SCHEMA_TABLES_OF_5 ";" SCHEMA_TABLES_OF_6 ";" SCHEMA_TABLES_OF_7 ";"
	"CREATE TABLE absence ("
	" function INTEGER,"
	" run INTEGER,"
	" variable INTEGER,"
	" reason TEXT,"
	" count INTEGER,"
	" PRIMARY KEY (function, run, variable, reason)) WITHOUT ROWID;"
	"CREATE TABLE account ("
	" function INTEGER,"
	" run INTEGER,"
	" calls INTEGER /* seen from entry to end */,"
	" abandoned INTEGER /* seen to start, without an end that could be measured */,"
	" kept INTEGER /* of the calls: became samples; the rest left them by chance */,"
	" stops INTEGER /* for its sake */,"
	" stopped_ns INTEGER /* time in them */,"
	" open_ns INTEGER /* how long its probes were in place while the program ran */,"
	" time_ns INTEGER /* of all of the calls, samples or not; NULL: not of each it is known */,"
	" PRIMARY KEY (function, run)) WITHOUT ROWID;"
	"CREATE VIEW metric AS SELECT id, function, name, unit FROM variable WHERE role = 'metric';"
	"CREATE VIEW feature AS SELECT id, function, name AS expression, type, provenance, depth"
	" FROM variable WHERE role = 'feature'";

static const struct {
	const char *name;
	int since; /* version */
} own_tables[] = {{"run", 1},     {"function", 1},    {"variable", 1},
		  {"absence", 1}, {"account", 1},     {"label", 2},
		  {"library", 2}, {"calibration", 4}, {"pad_calibration", 5},
		  {"model", 6},   {"layout", 7}};

bool schema_create(struct profile *profile, struct err *err)
{
	char *header = sqlite3_mprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
				       PROFILE_APPLICATION_ID, PROFILE_VERSION);
	bool ok = db_exec(profile, header, err) && db_exec(profile, layout, err);

	sqlite3_free(header);
	profile->version = PROFILE_VERSION;
	return ok;
}

/* Views and virtual tables have no root page; computed columns are hidden ones. */
#define IS_ORDINARY                                                      \
	"type = 'table' AND rootpage > 1 AND sql LIKE 'CREATE TABLE%%' " \
	"AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(s.name) WHERE hidden <> 0)"

static bool fail_table(struct profile *profile, struct err *err)
{
	return db_damaged(profile, "a table is missing, or not what it should be", err);
}

static bool check_table(struct profile *profile, const char *table, struct err *err)
{
	sqlite3_stmt *statement;
	bool row;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"SELECT 1 FROM sqlite_schema AS s WHERE name = %Q AND " IS_ORDINARY
			" LIMIT 1",
			table))
		return false;
	ok = db_step(profile, statement, &row, err);
	sqlite3_finalize(statement);
	return ok && (row || fail_table(profile, err));
}

static int schema_compare_ids(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* All tables of samples at once: to look for each among all takes n² steps. */
static bool load_tables(struct profile *profile, int64_t state, struct err *err)
{
	struct table_set *tables = &profile->tables;
	sqlite3_stmt *statement;
	int64_t last = 0, at;
	bool row, ok;

	if (!db_prepare(
		    profile, &statement, err,
		    "SELECT rowid, CAST(substr(name, 8) AS INTEGER) AS id FROM sqlite_schema AS s "
		    "WHERE name = 'sample_' || id AND " IS_ORDINARY " ORDER BY rowid"))
		return false;
	tables->n = 0;
	while ((ok = db_step(profile, statement, &row, err)) && row) {
		at = sqlite3_column_int64(statement, 0);
		if (at <= last) {
			ok = db_damaged(profile, "its tables are not in order", err);
			break;
		}
		last = at;
		tables->ids = mem_grow(tables->ids, &tables->capacity, tables->n + 1,
				       sizeof(*tables->ids));
		tables->ids[tables->n++] = sqlite3_column_int64(statement, 1);
	}
	sqlite3_finalize(statement);
	if (tables->n)
		qsort(tables->ids, tables->n, sizeof(*tables->ids), schema_compare_ids);
	tables->state = ok ? state : 0;
	return ok;
}

/* While a profile is written, its schema changes with each function. */
bool schema_check_samples(struct profile *profile, int64_t function, struct err *err)
{
	struct table_set *tables = &profile->tables;
	int64_t state;
	char table[32];

	snprintf(table, sizeof(table), "sample_%lld", (long long)function);
	if (!tables->is_wanted || sqlite3_db_readonly(profile->db, "main") != 1) {
		tables->is_wanted = true;
		return check_table(profile, table, err);
	}
	if (!db_kept_number(profile, "PRAGMA schema_version", &state, err) ||
	    (state != tables->state && !load_tables(profile, state, err)))
		return false;
	return (tables->n && bsearch(&function, tables->ids, tables->n, sizeof(*tables->ids),
				     schema_compare_ids)) ||
	       fail_table(profile, err);
}

bool schema_check(struct profile *profile, struct err *err)
{
	int64_t application;
	int64_t version;

	if (!db_number(profile, "PRAGMA application_id", &application, err) ||
	    !db_number(profile, "PRAGMA user_version", &version, err))
		return false;
	if (application != PROFILE_APPLICATION_ID)
		return err_set(err, ERR_FORMAT,
			       "%s is a database of another application, not a fathom profile; "
			       "give one that `fathom run -o` wrote, or a new file",
			       profile->path);
	if (version > PROFILE_VERSION)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s was written by a newer fathom (format %lld, this one knows %d); "
			       "use that one, or measure again into another file",
			       profile->path, (long long)version, PROFILE_VERSION);
	if (version < 1)
		return db_damaged(profile, "its version is not one that ever was", err);
	profile->version = version;
	for (size_t i = 0; i < sizeof(own_tables) / sizeof(*own_tables); i++)
		if (version >= own_tables[i].since &&
		    !check_table(profile, own_tables[i].name, err))
			return false;
	return true;
}

/* Is @name free for a view? Excludes tables, sample_N, and SQLite's names, sqlite_*. */
static bool name_is_free(struct profile *profile, const char *name, bool *ret, struct err *err)
{
	sqlite3_stmt *statement;
	bool taken = true;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"SELECT 1 FROM sqlite_schema WHERE name = %Q COLLATE NOCASE LIMIT 1", name))
		return false;
	ok = db_step(profile, statement, &taken, err);
	sqlite3_finalize(statement);
	*ret = !taken && strncasecmp(name, "sqlite_", 7) && strncasecmp(name, "sample_", 7);
	return ok;
}

static bool set_view_name(struct profile *profile, int64_t function, const char *name,
			  struct err *err)
{
	sqlite3_stmt *statement;
	bool is_free;
	bool ok;

	if (!name_is_free(profile, name, &is_free, err))
		return false;
	if (!db_prepare(
		    profile, &statement, err,
		    is_free ? "UPDATE function SET view = name WHERE id = %lld"
			    : "UPDATE function SET view = '#' || id || ' ' || name WHERE id = %lld",
		    (long long)function))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

const char *schema_role_name(enum column_role role)
{
	static const char *const names[] = {
		[COLUMN_METRIC] = "metric",
		[COLUMN_FEATURE] = "feature",
		[COLUMN_BRANCH] = "branch",
		[COLUMN_KEY] = "key",
	};

	return names[role];
}

bool schema_role_parse(const char *name, enum column_role *ret)
{
	enum column_role role;

	for (role = COLUMN_METRIC; role <= COLUMN_KEY; role++)
		if (!strcmp(name, schema_role_name(role))) {
			*ret = role;
			return true;
		}
	return false;
}

static bool bind_variable(sqlite3_stmt *statement, const struct column *like)
{
	sqlite3_bind_text(statement, 1, like->name, -1, SQLITE_STATIC);
	switch (like->role) {
	case COLUMN_METRIC:
		return sqlite3_bind_text(statement, 2, metric_info(like->metric)->unit, -1,
					 SQLITE_STATIC) == SQLITE_OK;
	case COLUMN_FEATURE:
		sqlite3_bind_text(statement, 3, feature_type_name(like->type), -1, SQLITE_STATIC);
		sqlite3_bind_text(statement, 4, feature_provenance_name(like->provenance), -1,
				  SQLITE_STATIC);
		return sqlite3_bind_int64(statement, 5, like->depth) == SQLITE_OK;
	case COLUMN_BRANCH:
	case COLUMN_KEY:
		break;
	}
	return true;
}

static bool insert_variable(struct profile *profile, int64_t function, const struct column *like,
			    int64_t *ret, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"INSERT INTO variable (function, role, name, unit, type, provenance, depth)"
			" VALUES (%lld, %Q, ?1, ?2, ?3, ?4, ?5)",
			(long long)function, schema_role_name(like->role)))
		return false;
	ok = bind_variable(statement, like) ? db_run(profile, statement, err)
					    : db_fail(profile, err);
	sqlite3_finalize(statement);
	*ret = sqlite3_last_insert_rowid(profile->db);
	return ok;
}

/* Integers are stored and shown as such. */
static const char *cell_type(const struct column *column)
{
	bool real = column->role == COLUMN_METRIC ||
		    (column->role == COLUMN_FEATURE && column->type == FEATURE_FLOAT);

	return real ? "REAL" : "INTEGER";
}

/* Run the statements in @sql, which is taken. */
static bool schema_execute(struct profile *profile, sqlite3_str *sql, struct err *err)
{
	char *text = sqlite3_str_finish(sql);
	bool ok =
		text ? db_exec(profile, text, err)
		     : err_set(err, ERR_UNSUPPORTED,
			       "%s: the features' names are too long for a profile", profile->path);

	sqlite3_free(text);
	return ok;
}

/* All columns at once: SQLite parses the whole schema again for each column added later. */
static bool create_table(struct profile *profile, int64_t function, const struct samples *like,
			 const int64_t *variables, struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(profile->db);

	sqlite3_str_appendf(sql,
			    "CREATE TABLE sample_%lld (id INTEGER PRIMARY KEY, parent INTEGER,"
			    " run INTEGER, process INTEGER, thread INTEGER, start_ns INTEGER,"
			    " stops INTEGER, stopped_ns INTEGER, waited_ns INTEGER",
			    (long long)function);
	for (size_t i = 0; i < like->n_columns; i++)
		sqlite3_str_appendf(sql, ", v%lld %s", (long long)variables[i],
				    cell_type(&like->columns[i]));
	sqlite3_str_appendall(sql, ")");
	return schema_execute(profile, sql, err);
}

static bool insert_function(struct profile *profile, const struct samples *like, int64_t *ret,
			    struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"INSERT INTO function (name, linkage, file, line, module) "
			"VALUES (%Q, %Q, %Q, %u, %Q)",
			like->function, like->linkage, like->file, like->line, like->module))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	*ret = sqlite3_last_insert_rowid(profile->db);
	return ok && set_view_name(profile, *ret, like->function, err);
}

bool schema_add_function(struct profile *profile, const struct samples *like, int64_t *ret,
			 int64_t *ret_variables, struct err *err)
{
	if (!insert_function(profile, like, ret, err))
		return false;
	for (size_t i = 0; i < like->n_columns; i++)
		if (!insert_variable(profile, *ret, &like->columns[i], &ret_variables[i], err))
			return false;
	return create_table(profile, *ret, like, ret_variables, err) &&
	       schema_renew_view(profile, *ret, err);
}

bool schema_add_variable(struct profile *profile, int64_t function, const struct column *like,
			 int64_t *ret, struct err *err)
{
	sqlite3_str *sql;

	if (!insert_variable(profile, function, like, ret, err))
		return false;
	sql = sqlite3_str_new(profile->db);
	sqlite3_str_appendf(sql, "ALTER TABLE sample_%lld ADD COLUMN v%lld %s", (long long)function,
			    (long long)*ret, cell_type(like));
	return schema_execute(profile, sql, err);
}

/* The view's columns: ", v7 AS \"time\"" for each variable; labels replace numbers. */
static bool list_columns(struct profile *profile, int64_t function, sqlite3_str *ret,
			 struct err *err)
{
	sqlite3_stmt *statement;
	bool row;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"SELECT id, name, coalesce(type IN (%Q, %Q), 0) FROM variable "
			"WHERE function = %lld ORDER BY id LIMIT %d",
			feature_type_name(FEATURE_ENUM), feature_type_name(FEATURE_CLASS),
			(long long)function, SCHEMA_VARIABLES_MAX))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row) {
		long long id = sqlite3_column_int64(statement, 0);
		const char *name = (const char *)sqlite3_column_text(statement, 1);

		if (sqlite3_column_int(statement, 2))
			sqlite3_str_appendf(ret,
					    ", coalesce((SELECT name FROM label WHERE variable = "
					    "%lld AND number = v%lld), v%lld) AS \"%w\"",
					    id, id, id, name);
		else
			sqlite3_str_appendf(ret, ", v%lld AS \"%w\"", id, name);
	}
	sqlite3_finalize(statement);
	return ok;
}

static bool create_view(struct profile *profile, int64_t function, const char *name,
			struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(profile->db);

	sqlite3_str_appendf(sql,
			    "DROP VIEW IF EXISTS \"%w\"; CREATE VIEW \"%w\" AS "
			    "SELECT id, parent, run, process, thread, start_ns",
			    name, name);
	if (!list_columns(profile, function, sql, err)) {
		sqlite3_free(sqlite3_str_finish(sql));
		return false;
	}
	sqlite3_str_appendf(sql, ", stops, stopped_ns, waited_ns FROM sample_%lld",
			    (long long)function);
	return schema_execute(profile, sql, err);
}

bool schema_renew_view(struct profile *profile, int64_t function, struct err *err)
{
	sqlite3_stmt *statement;
	bool row;
	bool ok;

	if (!db_prepare(profile, &statement, err, "SELECT view FROM function WHERE id = %lld",
			(long long)function))
		return false;
	ok = db_step(profile, statement, &row, err);
	if (ok && (!row || sqlite3_column_type(statement, 0) != SQLITE_TEXT))
		ok = db_damaged(profile, "a function without a view", err);
	ok = ok &&
	     create_view(profile, function, (const char *)sqlite3_column_text(statement, 0), err);
	sqlite3_finalize(statement);
	return ok;
}
