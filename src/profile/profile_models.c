/* The rows of the table `model`. */
#include "profile_models.h"

#include "base/mem.h"
#include "core/metric.h"
#include "db.h"

enum { SINCE = 6, BYTES_MAX = 16 << 20 };

/* The texts that name @model, of the function @entry. */
static void bind_model(sqlite3_stmt *statement, const struct function_entry *entry,
		       const struct profile_model *model, struct arena *arena)
{
	const char *metric = metric_info(model->metric)->keyword;

	sqlite3_bind_int64(statement, 1, entry->id);
	sqlite3_bind_text(statement, 2,
			  entry->part ? arena_printf(arena, "%s%s", metric, entry->part) : metric,
			  -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 3, model->options, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 4, model->samples, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 5, model->maker, -1, SQLITE_STATIC);
}

bool profile_find_model(struct profile *profile, struct profile_model *model, struct err *err)
{
	const struct function_entry *entry =
		profile_functions_find(&profile->functions, model->function);
	sqlite3_stmt *statement;
	bool row, ok;

	model->bytes = NULL;
	if (!entry || profile->version < SINCE)
		return true;
	if (!db_prepare(profile, &statement, err,
			"SELECT annotation FROM model WHERE function = ? AND metric = ? AND "
			"options = ? AND samples = ? AND maker = ?"))
		return false;
	bind_model(statement, entry, model, profile->arena);
	ok = db_step(profile, statement, &row, err);
	if (ok && row && sqlite3_column_type(statement, 0) == SQLITE_BLOB &&
	    sqlite3_column_bytes(statement, 0) <= BYTES_MAX) {
		model->size = (size_t)sqlite3_column_bytes(statement, 0);
		model->bytes =
			arena_copy(profile->arena, sqlite3_column_blob(statement, 0), model->size);
	}
	sqlite3_finalize(statement);
	return ok;
}

/* Put @model in place of those that are like it, or of other samples or makers. */
static bool keep_model(struct profile *profile, sqlite3_stmt *const *statements,
		       const struct profile_model *model, struct err *err)
{
	const struct function_entry *entry =
		profile_functions_find(&profile->functions, model->function);

	if (!entry || model->size > BYTES_MAX)
		return true;
	bind_model(statements[0], entry, model, profile->arena);
	bind_model(statements[1], entry, model, profile->arena);
	sqlite3_bind_blob(statements[1], 6, model->bytes, (int)model->size, SQLITE_STATIC);
	return db_run(profile, statements[0], err) && db_run(profile, statements[1], err);
}

static bool keep_models(struct profile *profile, const struct profile_model *models, size_t n,
			struct err *err)
{
	sqlite3_stmt *statements[2] = {NULL};
	bool ok;

	if (!db_begin(profile, err))
		return false;
	ok = db_prepare(profile, &statements[0], err,
			"DELETE FROM model WHERE function = ?1 AND metric = ?2 AND "
			"(samples IS NOT ?4 OR maker IS NOT ?5)") &&
	     db_prepare(profile, &statements[1], err,
			"INSERT OR REPLACE INTO model VALUES (?, ?, ?, ?, ?, ?)");
	for (size_t i = 0; i < n && ok; i++)
		ok = keep_model(profile, statements, &models[i], err);
	sqlite3_finalize(statements[0]);
	sqlite3_finalize(statements[1]);
	if (ok)
		return db_commit(profile, err);
	db_rollback(profile);
	return false;
}

/*
 * By a connection of its own, which waits for nobody: the profile is open for reading. It stays
 * open, as each one reads what tables there are.
 */
static bool keep_beside(struct profile *profile, const struct profile_model *models, size_t n,
			struct err *err)
{
	struct profile *writer = profile->beside;

	if (!writer) {
		writer = mem_copy(profile, 1, sizeof(*profile));
		writer->db = NULL;
		writer->statements = NULL;
		profile->beside = writer;
	}
	if (!writer->db && !db_open(writer, profile->path, SQLITE_OPEN_READWRITE, err)) {
		sqlite3_close(writer->db);
		writer->db = NULL;
		return false;
	}
	profile_set_patience(writer, 0);
	writer->functions = profile->functions;
	return sqlite3_db_readonly(writer->db, "main") || keep_models(writer, models, n, err);
}

bool profile_keep_models(struct profile *profile, const struct profile_model *models, size_t n,
			 struct err *err)
{
	if (!n || profile->version < SINCE)
		return true;
	return sqlite3_db_readonly(profile->db, "main") ? keep_beside(profile, models, n, err)
							: keep_models(profile, models, n, err);
}
