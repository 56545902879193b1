/* Begins a run if it fits: a profile holds samples of one build of everything. */
#include <string.h>

#include "profile_accounts.h"
#include "db.h"
#include "profile.h"

/* The own program of the last run with one; none if it ended and left no functions. */
static bool own_program(struct profile *profile, struct arena *arena, struct run_library *ret,
			struct err *err)
{
	sqlite3_stmt *statement;
	size_t budget;
	bool row;
	bool ok;

	if (!db_size(profile, &budget, err))
		return false;
	if (!db_prepare(profile, &statement, err,
			"SELECT build_id, executable FROM run WHERE id = "
			"(SELECT max(id) FROM run WHERE build_id IS NOT NULL) AND "
			"(ended IS NULL OR EXISTS (SELECT 1 FROM function))"))
		return false;
	*ret = (struct run_library){NULL, NULL};
	ok = db_step(profile, statement, &row, err);
	if (ok && row)
		ok = db_column_text(profile, statement, 0, arena, &budget, &ret->build_id, err) &&
		     db_column_text(profile, statement, 1, arena, &budget, &ret->path, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool other_build(const struct profile *profile, const char *build, const char *build_id,
			struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "%s holds samples of another build of the program (build-id %.40s, "
		       "this one is %.40s); choose another file",
		       profile->path, build, build_id);
}

bool profile_check_build(struct profile *profile, const char *build_id, struct err *err)
{
	struct arena *arena = arena_create();
	struct run_library own;
	bool ok = own_program(profile, arena, &own, err);

	if (ok && build_id && own.build_id && strcmp(own.build_id, build_id))
		ok = other_build(profile, own.build_id, build_id, err);
	arena_destroy(arena);
	return ok;
}

/* The build of the library measured last; *@ret is NULL if there is none. */
static bool last_library(struct profile *profile, const char *path, struct arena *arena,
			 const char **ret, struct err *err)
{
	sqlite3_stmt *statement;
	size_t budget;
	bool row;
	bool ok;

	if (!db_size(profile, &budget, err) ||
	    !db_prepare(profile, &statement, err,
			"SELECT build_id FROM library WHERE path = %Q ORDER BY run DESC LIMIT 1",
			path))
		return false;
	*ret = NULL;
	ok = db_step(profile, statement, &row, err);
	if (ok && row)
		ok = db_column_text(profile, statement, 0, arena, &budget, ret, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool check_library(struct profile *profile, const struct run_library *library,
			  struct err *err)
{
	struct arena *arena = arena_create();
	const char *build;
	bool ok = last_library(profile, library->path, arena, &build, err);

	if (ok && build && strcmp(build, library->build_id))
		ok = err_set(err, ERR_USAGE,
			     "%s holds samples of another build of %s (build-id %.40s, this one is "
			     "%.40s); choose another file",
			     profile->path, library->path, build, library->build_id);
	arena_destroy(arena);
	return ok;
}

static bool insert_library(struct profile *profile, int64_t run, const struct run_library *library,
			   struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!check_library(profile, library, err) ||
	    !db_prepare(profile, &statement, err,
			"INSERT OR IGNORE INTO library (run, path, build_id) VALUES (%lld, %Q, %Q)",
			(long long)run, library->path, library->build_id))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool insert_libraries(struct profile *profile, int64_t run,
			     const struct run_library *libraries, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!insert_library(profile, run, &libraries[i], err))
			return false;
	return true;
}

static bool insert_run(struct profile *profile, const struct run *run, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!run->other_build && !profile_check_build(profile, run->build_id, err))
		return false;
	if (!db_prepare(profile, &statement, err,
			"INSERT INTO run (id, command, executable, build_id, host, kernel, cpu,"
			" started, branches, max_overhead, samples, period_ms, probes)"
			" VALUES ((SELECT nullif(?2, 0)"
			" WHERE NOT EXISTS (SELECT 1 FROM run WHERE id = ?2)),"
			" %Q, %Q, %Q, %Q, %Q, %Q, %lld, %d, ?1, %lld, %u, %Q)",
			run->command, run->executable, run->build_id, run->host, run->kernel,
			run->cpu, (long long)run->started, run->branches, (long long)run->samples,
			run->period_ms, run->probes))
		return false;
	sqlite3_bind_double(statement, 1, run->max_overhead);
	sqlite3_bind_int64(statement, 2, run->number);
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

bool profile_begin_run(struct profile *profile, const struct run *run, struct err *err)
{
	int64_t id;

	if (!db_begin(profile, err))
		return false;
	if (!insert_run(profile, run, err)) {
		db_rollback(profile);
		return false;
	}
	id = sqlite3_last_insert_rowid(profile->db);
	profile->totals = metric_totals(run->metrics) | 1u << METRIC_TIME;
	if (!insert_libraries(profile, id, run->libraries, run->n_libraries, err) ||
	    (run->calibration &&
	     !profile_accounts_calibration(profile, id, run->calibration, err))) {
		db_rollback(profile);
		return false;
	}
	if (!db_commit(profile, err))
		return false;
	profile->run = id;
	profile->n_runs++;
	return true;
}

/* The first program had nothing to measure. */
static bool become_executable(struct profile *profile, const struct run_library *program,
			      struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"UPDATE run SET executable = %Q, build_id = %Q "
			"WHERE id = %lld AND build_id IS NULL",
			program->path, program->build_id, (long long)profile->run))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool insert_program(struct profile *profile, const struct run_library *program,
			   bool *ret_own, struct err *err)
{
	struct arena *arena = arena_create();
	struct run_library own;
	bool ok = own_program(profile, arena, &own, err);

	if (!ok) {
		arena_destroy(arena);
		return false;
	}
	*ret_own = !own.build_id || !strcmp(own.build_id, program->build_id);
	if (*ret_own)
		ok = become_executable(profile, program, err);
	else if (own.path && !strcmp(own.path, program->path))
		ok = other_build(profile, own.build_id, program->build_id, err);
	else
		ok = insert_library(profile, profile->run, program, err);
	arena_destroy(arena);
	return ok;
}

bool profile_add_program(struct profile *profile, const struct run_library *program,
			 const struct run_library *libraries, size_t n_libraries, bool *ret_own,
			 struct err *err)
{
	if (!db_begin(profile, err))
		return false;
	if (!insert_program(profile, program, ret_own, err) ||
	    !insert_libraries(profile, profile->run, libraries, n_libraries, err)) {
		db_rollback(profile);
		return false;
	}
	return db_commit(profile, err);
}

bool profile_describe_run(struct profile *profile, int64_t run, struct arena *arena,
			  struct run *ret, struct err *err)
{
	const char **texts[] = {&ret->command, &ret->executable, &ret->build_id,
				&ret->host,    &ret->kernel,     &ret->cpu};
	sqlite3_stmt *statement;
	size_t budget;
	bool row, ok;

	if (!db_size(profile, &budget, err) ||
	    !db_prepare(profile, &statement, err,
			"SELECT command, executable, build_id, host, kernel, cpu, started FROM run "
			"WHERE id = %lld OR %lld = 0 ORDER BY id DESC LIMIT 1",
			(long long)run, (long long)run))
		return false;
	ok = db_step(profile, statement, &row, err);
	for (int i = 0; ok && row && i < 6; i++)
		ok = db_column_text(profile, statement, i, arena, &budget, texts[i], err);
	ok = ok && (!row || db_column_int(profile, statement, 6, &ret->started, err));
	sqlite3_finalize(statement);
	return ok;
}
