/*
 * Adds samples: batches of tables, one transaction each; profile_accounts.c adds accounts. Each
 * batch reads functions and columns again, since another process may be adding, too.
 */
#include "base/mem.h"
#include "profile.h"

#include <stdlib.h>

#include "db.h"
#include "profile_labels.h"
#include "schema.h"

enum { FIRST_CELL = 10 }; /* of the parameters of an INSERT */

/* State of adding one table. Ids are those of the profile. */
struct batch {
	struct profile *profile;
	const struct samples *samples;
	int64_t function;
	int64_t *variables; /* [n_columns] */
};

static size_t find_column(const struct samples *samples, const char *role_name, const char *name)
{
	enum column_role role;

	return schema_role_parse(role_name, &role) ? samples_find_column(samples, role, name)
						   : samples->n_columns;
}

/* Set the ids of the function's existing columns. */
static bool find_variables(struct batch *batch, size_t *ret_n, struct err *err)
{
	sqlite3_stmt *statement;
	size_t column;
	size_t n = 0;
	bool row = true;
	bool ok;

	if (!db_prepare(batch->profile, &statement, err,
			"SELECT id, coalesce(role, ''), coalesce(name, '') FROM variable "
			"WHERE function = %lld ORDER BY id",
			(long long)batch->function))
		return false;
	while ((ok = db_step(batch->profile, statement, &row, err)) && row) {
		if (n++ > SCHEMA_VARIABLES_MAX) {
			ok = db_damaged(batch->profile, "a function has too many columns", err);
			break;
		}
		column =
			find_column(batch->samples, (const char *)sqlite3_column_text(statement, 1),
				    (const char *)sqlite3_column_text(statement, 2));
		if (column < batch->samples->n_columns)
			batch->variables[column] = sqlite3_column_int64(statement, 0);
	}
	sqlite3_finalize(statement);
	*ret_n = n;
	return ok;
}

static bool add_variables(struct batch *batch, size_t n_present, struct err *err)
{
	size_t n_before = n_present;

	for (size_t i = 0; i < batch->samples->n_columns; i++) {
		if (batch->variables[i])
			continue;
		if (n_present++ >= SCHEMA_VARIABLES_MAX)
			return err_set(err, ERR_UNSUPPORTED,
				       "%s: %s has more than %d columns over all runs; choose "
				       "another file",
				       batch->profile->path, batch->samples->function,
				       SCHEMA_VARIABLES_MAX);
		if (!schema_add_variable(batch->profile, batch->function,
					 &batch->samples->columns[i], &batch->variables[i], err))
			return false;
	}
	return n_present == n_before || schema_renew_view(batch->profile, batch->function, err);
}

/* Find or add the function and its columns. */
static bool settle_columns(struct batch *batch, struct err *err)
{
	const struct samples *samples = batch->samples;
	const struct function_place place = {samples->linkage, samples->file, samples->line,
					     samples->module};
	const struct function_entry *entry;
	size_t n;

	if (!profile_functions_load(batch->profile, err))
		return false;
	entry = profile_functions_find_place(&batch->profile->functions, &place);
	if (!entry)
		return schema_add_function(batch->profile, batch->samples, &batch->function,
					   batch->variables, err);
	batch->function = entry->id;
	return schema_check_samples(batch->profile, entry->id, err) &&
	       find_variables(batch, &n, err) && add_variables(batch, n, err);
}

static bool prepare_insert(const struct batch *batch, sqlite3_stmt **ret, struct err *err)
{
	sqlite3_str *sql = sqlite3_str_new(batch->profile->db);
	char *text;
	bool ok;

	sqlite3_str_appendf(sql,
			    "INSERT INTO sample_%lld (id, parent, run, process, thread, start_ns,"
			    " stops, stopped_ns, waited_ns",
			    (long long)batch->function);
	for (size_t i = 0; i < batch->samples->n_columns; i++)
		sqlite3_str_appendf(sql, ", v%lld", (long long)batch->variables[i]);
	sqlite3_str_appendall(sql, ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?");
	for (size_t i = 0; i < batch->samples->n_columns; i++)
		sqlite3_str_appendall(sql, ", ?");
	sqlite3_str_appendall(sql, ")");
	text = sqlite3_str_finish(sql);
	ok = db_prepare(batch->profile, ret, err, "%s", text ? text : "");
	sqlite3_free(text);
	return ok;
}

/* False: a run cannot have the number. */
static bool unique_id(int64_t run, int64_t number, int64_t *ret)
{
	int64_t base;

	if (number < 0 || number >= SCHEMA_IDS_PER_RUN)
		return false;
	if (__builtin_mul_overflow(run, SCHEMA_IDS_PER_RUN, &base))
		return false;
	return !__builtin_add_overflow(base, number, ret);
}

static bool bind_key(const struct batch *batch, sqlite3_stmt *statement, size_t row,
		     struct err *err)
{
	const struct sample_key *key = &batch->samples->keys[row];
	int64_t run = batch->profile->run;
	int64_t id;
	int64_t parent;

	if (!key->id || !unique_id(run, key->id, &id) || !unique_id(run, key->parent, &parent))
		return err_set(err, ERR_UNSUPPORTED, "%s has no room for the sample %lld",
			       batch->profile->path, (long long)key->id);
	sqlite3_bind_int64(statement, 1, id);
	if (key->parent)
		sqlite3_bind_int64(statement, 2, parent);
	else
		sqlite3_bind_null(statement, 2);
	sqlite3_bind_int64(statement, 3, run);
	sqlite3_bind_int64(statement, 4, key->process);
	sqlite3_bind_int64(statement, 5, key->thread);
	sqlite3_bind_int64(statement, 6, key->start_ns);
	if (key->stops)
		sqlite3_bind_int64(statement, 7, key->stops);
	else
		sqlite3_bind_null(statement, 7);
	if (key->stops || key->stopped_ns)
		sqlite3_bind_int64(statement, 8, key->stopped_ns);
	else
		sqlite3_bind_null(statement, 8);
	if (key->waited_ns)
		sqlite3_bind_int64(statement, 9, key->waited_ns);
	else
		sqlite3_bind_null(statement, 9);
	return true;
}

static bool insert_row(const struct batch *batch, sqlite3_stmt *statement, size_t row,
		       struct err *err)
{
	if (!bind_key(batch, statement, row, err))
		return false;
	for (size_t i = 0; i < batch->samples->n_columns; i++) {
		const struct column *column = &batch->samples->columns[i];

		if (column->absence[row] == PRESENT)
			sqlite3_bind_double(statement, FIRST_CELL + i, column->numbers[row]);
		else
			sqlite3_bind_null(statement, FIRST_CELL + i);
	}
	return db_run(batch->profile, statement, err);
}

static bool insert_rows(const struct batch *batch, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok = true;
	size_t row;

	if (!prepare_insert(batch, &statement, err))
		return false;
	for (row = 0; ok && row < batch->samples->n_rows; row++)
		ok = insert_row(batch, statement, row, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool insert_absences(const struct batch *batch, sqlite3_stmt *statement, size_t column,
			    struct err *err)
{
	const uint8_t *absence = batch->samples->columns[column].absence;
	size_t counts[ABSENCE_COUNT] = {0};
	enum absence reason;
	size_t row;

	for (row = 0; row < batch->samples->n_rows; row++)
		counts[absence[row]]++;
	for (reason = PRESENT + 1; reason < ABSENCE_COUNT; reason++) {
		if (!counts[reason])
			continue;
		sqlite3_bind_int64(statement, 1, batch->variables[column]);
		sqlite3_bind_text(statement, 2, value_absence_name(reason), -1, SQLITE_STATIC);
		sqlite3_bind_int64(statement, 3, counts[reason]);
		if (!db_run(batch->profile, statement, err))
			return false;
	}
	return true;
}

/* Cells have no reasons, so count reasons by column and run. */
static bool count_absences(const struct batch *batch, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok = true;

	if (!db_prepare(batch->profile, &statement, err,
			"INSERT INTO absence (function, run, variable, reason, count) "
			"VALUES (%lld, %lld, ?, ?, ?) "
			"ON CONFLICT DO UPDATE SET count = count + excluded.count",
			(long long)batch->function, (long long)batch->profile->run))
		return false;
	for (size_t i = 0; ok && i < batch->samples->n_columns; i++)
		ok = insert_absences(batch, statement, i, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool add_table(struct profile *profile, const struct samples *samples, struct err *err)
{
	struct batch batch = {.profile = profile, .samples = samples};
	bool ok;

	if (!samples->n_rows)
		return true;
	if (samples->n_columns > SCHEMA_VARIABLES_MAX)
		return err_set(err, ERR_UNSUPPORTED, "%s has more than %d columns",
			       samples->function, SCHEMA_VARIABLES_MAX);
	batch.variables = mem_alloc(samples->n_columns * sizeof(*batch.variables));
	ok = settle_columns(&batch, err) && insert_rows(&batch, err) &&
	     count_absences(&batch, err) &&
	     profile_labels_add(profile, samples, batch.variables, err);
	free(batch.variables);
	return ok;
}

static bool add_tables(struct profile *profile, struct samples *const *tables, size_t n,
		       struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!add_table(profile, tables[i], err))
			return false;
	return true;
}

/* Drop functions that the transaction added; the next batch reads what cannot be read now. */
static bool undo(struct profile *profile, int64_t last_function)
{
	struct err ignored;

	db_rollback(profile);
	if (profile->functions.last_id == last_function)
		return false;
	profile_functions_forget(&profile->functions);
	profile_functions_load(profile, &ignored);
	return false;
}

bool profile_add_batch(struct profile *profile, struct samples *const *tables, size_t n,
		       struct err *err)
{
	int64_t last_function = profile->functions.last_id;

	if (!db_begin(profile, err))
		return false;
	if (!add_tables(profile, tables, n, err) || !db_commit(profile, err))
		return undo(profile, last_function);
	return profile_functions_load(profile, err);
}

bool profile_begin_whole(struct profile *profile, struct err *err)
{
	profile->runs_before = profile->n_runs;
	return db_begin(profile, err);
}

bool profile_end_whole(struct profile *profile, bool ok, struct err *err)
{
	struct err ignored;

	if (ok && db_commit(profile, err))
		return true;
	db_rollback(profile);
	profile->n_runs = profile->runs_before;
	profile->run = 0;
	profile_functions_forget(&profile->functions);
	profile_functions_load(profile, &ignored);
	return false;
}

bool profile_add(struct profile *profile, const struct samples *samples, struct err *err)
{
	struct samples *const table = (struct samples *)samples;

	return profile_add_batch(profile, &table, 1, err);
}

static bool forget_rows(struct profile *profile, sqlite3_stmt *statement,
			const struct sample_key *rows, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		sqlite3_bind_int64(statement, 1, rows[i].id);
		if (!db_run(profile, statement, err))
			return false;
	}
	return true;
}

bool profile_forget(struct profile *profile, const char *function, const struct sample_key *rows,
		    size_t n, struct err *err)
{
	const struct function_entry *entry = profile_functions_find(&profile->functions, function);
	sqlite3_stmt *statement;
	bool ok;

	if (!db_begin(profile, err))
		return false;
	ok = entry && db_prepare(profile, &statement, err, "DELETE FROM sample_%lld WHERE id = ?",
				 (long long)entry->id);
	if (ok) {
		ok = forget_rows(profile, statement, rows, n, err);
		sqlite3_finalize(statement);
	}
	if (ok && db_commit(profile, err))
		return true;
	db_rollback(profile);
	return false;
}
