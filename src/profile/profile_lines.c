/* The table of lines by samples, where functions were chosen by samples. */
#include <limits.h>

#include "db.h"
#include "profile.h"

enum { LINES_MAX = 100000 };

/* The row of line 0 has all samples, wherever they were. */
static bool lines_create(struct profile *profile, struct err *err)
{
	return db_exec(profile,
		       "CREATE TABLE IF NOT EXISTS line_sample (file TEXT, line INTEGER,"
		       " samples INTEGER, PRIMARY KEY (file, line)) WITHOUT ROWID",
		       err);
}

static bool lines_put(struct profile *profile, const struct line_samples *line, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"INSERT INTO line_sample VALUES (%Q, %u, %lld) ON CONFLICT (file, line) "
			"DO UPDATE SET samples = samples + excluded.samples",
			line->file, line->line, (long long)line->samples))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

bool profile_add_lines(struct profile *profile, const struct line_samples *lines, size_t n,
		       size_t all, struct err *err)
{
	const struct line_samples sum = {"", 0, all};
	bool ok;

	if (!db_begin(profile, err))
		return false;
	ok = lines_create(profile, err) && lines_put(profile, &sum, err);
	for (size_t i = 0; ok && i < n; i++)
		ok = lines_put(profile, &lines[i], err);
	if (ok)
		return db_commit(profile, err);
	db_rollback(profile);
	return false;
}

bool profile_visit_lines(struct profile *profile, const char *file,
			 void (*take)(void *self, unsigned line, double share), void *self,
			 struct err *err)
{
	sqlite3_stmt *statement;
	int64_t line, samples, all = 0;
	bool row, ok;

	if (!db_number(profile,
		       "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = "
		       "'line_sample'",
		       &all, err) ||
	    !all)
		return !all;
	if (!db_prepare(profile, &statement, err,
			"SELECT line, samples FROM line_sample WHERE file IN ('', %Q) "
			"ORDER BY file, line LIMIT %d",
			file, LINES_MAX))
		return false;
	for (all = 0; (ok = db_step(profile, statement, &row, err)) && row;) {
		ok = db_column_int(profile, statement, 0, &line, err) &&
		     db_column_int(profile, statement, 1, &samples, err);
		if (!ok)
			break;
		if (!line)
			all = samples;
		else if (line > 0 && line <= INT_MAX && samples > 0 && samples <= all)
			take(self, (unsigned)line, (double)samples / (double)all);
	}
	sqlite3_finalize(statement);
	return ok;
}
