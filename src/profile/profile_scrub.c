/*
 * Takes out of a profile what tells of the machine and the data: what measured calls cost, and what
 * that depends on, stays.
 */
#include "db.h"
#include "profile.h"
#include "schema.h"

/* What follows the last slash. */
#define FILE_NAME(column) "replace(" column ", rtrim(" column ", replace(" column ", '/', '')), '')"

static const struct {
	const char *table, *statement;
} scrubs[] = {
	{"run", "UPDATE run SET command = '', executable = " FILE_NAME("executable")},
	/* Runs of one machine stay those of one machine. */
	{"run", "UPDATE run SET host = 'host ' || first FROM (SELECT host AS its, min(id) AS first "
		"FROM run GROUP BY host) WHERE host = its"},
	{"function", "UPDATE function SET file = " FILE_NAME(
			     "file") ", module = CASE module WHEN '" MODULE_ANY
				     "' THEN module ELSE " FILE_NAME("module") " END"},
	{"library", "UPDATE OR REPLACE library SET path = " FILE_NAME("path")},
	{"line_sample", "UPDATE OR REPLACE line_sample SET file = " FILE_NAME("file")},
	{"causal_unit", "UPDATE causal_unit SET file = " FILE_NAME("file")},
	/* Points are as people wrote them, FILE:LINE perhaps; a setting names them again. */
	{"causal_progress",
	 "UPDATE causal_progress SET name = " FILE_NAME(
		 "name") " WHERE instr(name, '/') AND NOT instr(name, 'operator/')"},
	{"causal", "UPDATE causal SET setting = 'setting ' || id"},
	/* They are made again, and may name texts. */
	{"model", "DELETE FROM model"},
	/* Numbers of texts are made of the texts. */
	{"label", "INSERT INTO label SELECT variable, -row_number() OVER (PARTITION BY variable "
		  "ORDER BY number), '' FROM label JOIN variable ON variable.id = variable "
		  "WHERE type = 'string'"},
	{"label", "DELETE FROM label WHERE number >= 0 AND variable IN "
		  "(SELECT id FROM variable WHERE type = 'string')"},
	{"label", "UPDATE label SET number = -number, name = 'text ' || -number WHERE number < 0 "
		  "AND variable IN (SELECT id FROM variable WHERE type = 'string')"},
};

static bool scrub_has_table(struct profile *profile, const char *table, bool *ret, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = %Q", table))
		return false;
	ok = db_step(profile, statement, ret, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool number_column(struct profile *profile, int64_t function, int64_t variable,
			  struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"UPDATE sample_%lld SET v%lld = (SELECT count(*) FROM label WHERE variable "
			"= %lld AND number <= v%lld) WHERE v%lld IS NOT NULL",
			(long long)function, (long long)variable, (long long)variable,
			(long long)variable, (long long)variable))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

/* The texts of a variable, in the order of their numbers, get the numbers 1, 2, 3. */
static bool number_texts(struct profile *profile, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t variable, function;
	bool row, ok;

	if (!db_prepare(profile, &statement, err,
			"SELECT id, function FROM variable WHERE type = 'string' ORDER BY id"))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!db_column_int(profile, statement, 0, &variable, err) ||
		    !db_column_int(profile, statement, 1, &function, err) ||
		    !number_column(profile, function, variable, err)) {
			ok = false;
			break;
		}
	sqlite3_finalize(statement);
	return ok;
}

/* One statement with the function's number, which may be there several times. */
static bool scrub_run(struct profile *profile, const char *format, int64_t function,
		      struct err *err)
{
	const long long id = function;
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err, format, id, id))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool find_block(struct profile *profile, int64_t *ret, char **ret_view, struct err *err)
{
	sqlite3_stmt *statement;
	bool row, ok;

	*ret_view = NULL;
	if (!db_prepare(profile, &statement, err,
			"SELECT id, view FROM function WHERE name GLOB '*/*:[0-9]*..[0-9]*' OR "
			"linkage GLOB '*/*:[0-9]*..[0-9]*' LIMIT 1"))
		return false;
	ok = db_step(profile, statement, &row, err);
	if (ok && row) {
		ok = db_column_int(profile, statement, 0, ret, err);
		*ret_view = ok ? sqlite3_mprintf("%s", sqlite3_column_text(statement, 1)) : NULL;
	}
	sqlite3_finalize(statement);
	return ok;
}

static const char block_names[] =
	"UPDATE function SET name = " FILE_NAME("name") ", linkage = " FILE_NAME(
		"linkage") ", view = '#%lld ' || " FILE_NAME("name") " WHERE id = %lld";

/* Blocks are called FILE:LINE..LINE, as people wrote them, and so are their views. */
static bool name_blocks(struct profile *profile, struct err *err)
{
	int64_t id;
	char *view;
	bool ok;

	while ((ok = find_block(profile, &id, &view, err)) && view) {
		char *drop = sqlite3_mprintf("DROP VIEW IF EXISTS \"%w\"", view);

		ok = db_exec(profile, drop, err) && scrub_run(profile, block_names, id, err) &&
		     schema_renew_view(profile, id, err);
		sqlite3_free(drop);
		sqlite3_free(view);
		if (!ok)
			break;
	}
	return ok;
}

static bool scrub_all(struct profile *profile, struct err *err)
{
	bool has;

	if (!number_texts(profile, err) || !name_blocks(profile, err))
		return false;
	for (size_t i = 0; i < sizeof(scrubs) / sizeof(scrubs[0]); i++)
		if (!scrub_has_table(profile, scrubs[i].table, &has, err) ||
		    (has && !db_exec(profile, scrubs[i].statement, err)))
			return false;
	return true;
}

/* Deleting overwrites, but not pages that were unused before. VACUUM attaches a file. */
static bool drop_unused(struct profile *profile, struct err *err)
{
	const int before = sqlite3_limit(profile->db, SQLITE_LIMIT_ATTACHED, 1);
	const bool ok = db_exec(profile, "VACUUM", err);

	sqlite3_limit(profile->db, SQLITE_LIMIT_ATTACHED, before);
	return ok;
}

bool profile_scrub(struct profile *profile, struct err *err)
{
	if (!db_exec(profile, "PRAGMA secure_delete = ON", err) || !db_begin(profile, err))
		return false;
	if (!scrub_all(profile, err)) {
		db_rollback(profile);
		return false;
	}
	return db_commit(profile, err) && drop_unused(profile, err);
}
