/* Layouts are a table; builds are those of the table of runs. */
#include "profile_layout.h"

#include <math.h>
#include <stdio.h>

#include "profile.h"
#include "schema.h"

bool profile_layout_store(struct profile *profile, int64_t run, const struct run_layout *layout,
			  struct err *err)
{
	enum layout_part part;
	bool ok = true;

	for (part = 0; ok && layout->arranged && part < LAYOUT_PARTS; part++) {
		sqlite3_stmt *statement;

		if (!db_prepare(profile, &statement, err,
				"INSERT OR REPLACE INTO layout (run, part, bytes) "
				"VALUES (%lld, %Q, %u)",
				(long long)run, feature_layout_name(part), layout->bytes[part]))
			return false;
		ok = db_run(profile, statement, err);
		sqlite3_finalize(statement);
	}
	return ok;
}

/* The rows of a run follow each other. *@row: where to look from, and then behind them. */
static size_t rows_of_run(const struct samples *samples, int64_t run, size_t *row)
{
	size_t first;

	while (*row < samples->n_rows && samples->keys[*row].run < run)
		++*row;
	first = *row;
	while (*row < samples->n_rows && samples->keys[*row].run == run)
		++*row;
	return first;
}

static bool load_builds(struct profile *profile, struct samples *samples, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t run, build;
	size_t row = 0, i;
	bool more, ok;

	if (!db_keep(profile, &statement, err,
		     "SELECT id, min(id) OVER (PARTITION BY build_id) FROM run ORDER BY id"))
		return false;
	while ((ok = db_step(profile, statement, &more, err)) && more) {
		ok = db_column_int(profile, statement, 0, &run, err) &&
		     db_column_int(profile, statement, 1, &build, err);
		if (!ok)
			break;
		for (i = rows_of_run(samples, run, &row); i < row; i++)
			samples->keys[i].build = build;
	}
	sqlite3_reset(statement);
	return ok;
}

/* The mean over the rows. */
static bool load_stolen(struct profile *profile, struct samples *samples, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t run;
	size_t row = 0, first;
	bool more, ok;

	if (profile->version < 8)
		return true;
	if (!db_keep(profile, &statement, err,
		     "SELECT id, stolen FROM run WHERE stolen > 0 ORDER BY id"))
		return false;
	while ((ok = db_step(profile, statement, &more, err)) && more) {
		ok = db_column_int(profile, statement, 0, &run, err);
		if (!ok)
			break;
		first = rows_of_run(samples, run, &row);
		samples->stolen += fmin(sqlite3_column_double(statement, 1), 1) *
				   (double)(row - first) / (double)samples->n_rows;
	}
	sqlite3_reset(statement);
	return ok;
}

/* What runs may differ by: a number, or a text, whose number is its place in the alphabet. */
struct trait {
	const char *name;
	const char *column; /* of the table of runs; NULL: a part of the layout */
};

enum { TRAITS = LAYOUT_PARTS + 3 };

static struct trait trait_at(int i)
{
	static const struct trait texts[] = {
		{"system.host", "host"}, {"system.cpu", "cpu"}, {"system.kernel", "kernel"}};

	if (i < LAYOUT_PARTS)
		return (struct trait){feature_layout_name((enum layout_part)i), NULL};
	return texts[i - LAYOUT_PARTS];
}

static bool prepare_trait(struct profile *profile, struct trait trait, sqlite3_stmt **statement,
			  struct err *err)
{
	char sql[160];

	if (trait.column) {
		snprintf(sql, sizeof(sql),
			 "SELECT id, dense_rank() OVER (ORDER BY %s), %s FROM run "
			 "WHERE %s IS NOT NULL ORDER BY id",
			 trait.column, trait.column, trait.column);
		return db_keep(profile, statement, err, sql);
	}
	if (!db_keep(profile, statement, err,
		     "SELECT run, bytes, NULL FROM layout WHERE part = ? ORDER BY run"))
		return false;
	sqlite3_bind_text(*statement, 1, trait.name, -1, SQLITE_STATIC);
	return true;
}

/* Fill the last column of @samples. *@differs: between runs that have rows. */
static bool read_trait(struct profile *profile, struct samples *samples, sqlite3_stmt *statement,
		       bool *differs, struct err *err)
{
	const size_t at = samples->n_columns - 1;
	struct column *column = &samples->columns[at];
	double first = NAN;
	int64_t run, number;
	size_t row = 0, i;
	bool more, ok;

	while ((ok = db_step(profile, statement, &more, err)) && more) {
		const char *text;

		ok = db_column_int(profile, statement, 0, &run, err) &&
		     db_column_int(profile, statement, 1, &number, err);
		if (!ok)
			break;
		i = rows_of_run(samples, run, &row);
		if (i == row)
			continue;
		text = (const char *)sqlite3_column_text(statement, 2);
		if (text)
			samples_add_label(samples, at, (double)number, text);
		*differs |= first != (double)number && !isnan(first);
		first = (double)number;
		for (; i < row; i++) {
			column->numbers[i] = (double)number;
			column->absence[i] = PRESENT;
		}
	}
	return ok;
}

/* @is_wanted: even if it does not differ. */
static bool load_trait(struct profile *profile, struct trait trait, struct samples *samples,
		       bool is_wanted, struct err *err)
{
	const struct column like = {.name = trait.name,
				    .role = COLUMN_FEATURE,
				    .type = trait.column ? FEATURE_STRING : FEATURE_INT,
				    .is_derived = true,
				    .provenance = FROM_SYSTEM};
	sqlite3_stmt *statement;
	bool differs = false;
	bool ok;

	if ((!trait.column && profile->version < 7) ||
	    samples_find_column(samples, COLUMN_FEATURE, like.name) < samples->n_columns)
		return true;
	if (!prepare_trait(profile, trait, &statement, err))
		return false;
	samples_add_column(samples, &like);
	ok = read_trait(profile, samples, statement, &differs, err);
	if (!differs && !is_wanted)
		samples_remove_column(samples, samples->n_columns - 1);
	sqlite3_reset(statement);
	return ok;
}

bool profile_layout_load(struct profile *profile, struct samples *samples, struct err *err)
{
	bool ok = load_builds(profile, samples, err) && load_stolen(profile, samples, err);

	for (int i = 0; ok && samples->n_rows && i < TRAITS; i++)
		ok = load_trait(profile, trait_at(i), samples, false, err);
	return ok;
}

bool profile_layout_add_texts(struct profile *profile, struct samples *samples, struct err *err)
{
	bool ok = true;

	for (int i = LAYOUT_PARTS; ok && samples->n_rows && i < TRAITS; i++)
		ok = load_trait(profile, trait_at(i), samples, true, err);
	return ok;
}

void profile_layout_forget(struct samples *samples)
{
	for (int i = 0; i < TRAITS; i++) {
		const size_t at = samples_find_column(samples, COLUMN_FEATURE, trait_at(i).name);

		if (at < samples->n_columns)
			samples_remove_column(samples, at);
	}
}
