/* The rows of the table `model`. */
#include "profile_models.h"

#include "core/metric.h"
#include "db.h"

enum { SINCE = 6, BYTES_MAX = 16 << 20 };

/* The texts that name @model, of function @id. */
static void bind_model(sqlite3_stmt *statement, int64_t id, const struct profile_model *model)
{
	sqlite3_bind_int64(statement, 1, id);
	sqlite3_bind_text(statement, 2, metric_info(model->metric)->keyword, -1, SQLITE_STATIC);
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
	bind_model(statement, entry->id, model);
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

static bool keep_model(struct profile *profile, sqlite3_stmt *statement,
		       const struct profile_model *model, struct err *err)
{
	const struct function_entry *entry =
		profile_functions_find(&profile->functions, model->function);

	if (!entry || model->size > BYTES_MAX)
		return true;
	bind_model(statement, entry->id, model);
	sqlite3_bind_blob(statement, 6, model->bytes, (int)model->size, SQLITE_STATIC);
	return db_run(profile, statement, err);
}

bool profile_keep_models(struct profile *profile, const struct profile_model *models, size_t n,
			 struct err *err)
{
	sqlite3_stmt *statement = NULL;
	size_t i;
	bool ok;

	if (!n || sqlite3_db_readonly(profile->db, "main") || profile->version < SINCE)
		return true;
	if (!db_begin(profile, err))
		return false;
	ok = db_prepare(profile, &statement, err,
			"INSERT OR REPLACE INTO model VALUES (?, ?, ?, ?, ?, ?)");
	for (i = 0; i < n && ok; i++)
		ok = keep_model(profile, statement, &models[i], err);
	sqlite3_finalize(statement);
	if (ok)
		return db_commit(profile, err);
	db_rollback(profile);
	return false;
}
