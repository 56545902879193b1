/* The table of labels, since version 2 of the layout. */
#include "profile_labels.h"

#include <math.h>
#include <stdlib.h>

static bool label_add_column(struct profile *profile, sqlite3_stmt *statement,
			     const struct column *column, int64_t variable, struct err *err)
{
	for (size_t i = 0; i < column->n_labels; i++) {
		sqlite3_bind_int64(statement, 1, variable);
		sqlite3_bind_double(statement, 2, column->labels[i].number);
		sqlite3_bind_text(statement, 3, column->labels[i].name, -1, SQLITE_STATIC);
		if (!db_run(profile, statement, err))
			return false;
	}
	return true;
}

bool profile_labels_add(struct profile *profile, const struct samples *samples,
			const int64_t *variables, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok = true;

	if (!db_prepare(profile, &statement, err,
			"INSERT OR IGNORE INTO label (variable, number, name) VALUES (?, ?, ?)"))
		return false;
	for (size_t i = 0; ok && i < samples->n_columns; i++)
		ok = label_add_column(profile, statement, &samples->columns[i], variables[i], err);
	sqlite3_finalize(statement);
	return ok;
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t *x = a;
	const int64_t *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_categorical(const struct column *column)
{
	return column->role == COLUMN_FEATURE &&
	       (column->type == FEATURE_ENUM || column->type == FEATURE_CLASS ||
		column->type == FEATURE_STRING);
}

struct reader {
	struct profile *profile;
	const int64_t *variables;
	struct samples *samples;
	size_t budget;
	int64_t last_variable;
	double last_number;
};

/* The current row of `variable, number, name`. Skips columns of types without labels. */
static bool read_label(struct reader *reader, sqlite3_stmt *statement, struct err *err)
{
	int64_t id = sqlite3_column_int64(statement, 0);
	double number = sqlite3_column_double(statement, 1);
	const int64_t *variable = bsearch(&id, reader->variables, reader->samples->n_columns,
					  sizeof(id), compare_ids);
	struct arena *arena;
	const char *name;
	bool ok;

	if (id < reader->last_variable ||
	    (id == reader->last_variable && number <= reader->last_number))
		return db_damaged(reader->profile, "its labels are not in order", err);
	reader->last_variable = id;
	reader->last_number = number;
	if (!variable || !is_categorical(&reader->samples->columns[variable - reader->variables]))
		return true;
	arena = arena_create();
	ok = db_column_text(reader->profile, statement, 2, arena, &reader->budget, &name, err);
	if (ok && name)
		samples_add_label(reader->samples, variable - reader->variables, number, name);
	arena_destroy(arena);
	return ok;
}

bool profile_labels_load(struct profile *profile, int64_t function, const int64_t *variables,
			 struct samples *samples, struct err *err)
{
	struct reader reader = {.profile = profile,
				.variables = variables,
				.samples = samples,
				.last_variable = INT64_MIN,
				.last_number = -INFINITY};
	sqlite3_stmt *statement;
	bool row = true;
	bool ok;

	if (profile->version < 2 || !samples->n_columns)
		return true;
	if (!db_size(profile, &reader.budget, err) ||
	    !db_keep(profile, &statement, err,
		     "SELECT variable, number, name FROM label WHERE variable IN "
		     "(SELECT id FROM variable WHERE function = ?) ORDER BY variable, number"))
		return false;
	sqlite3_bind_int64(statement, 1, function);
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = read_label(&reader, statement, err)))
			break;
	sqlite3_reset(statement);
	return ok;
}
