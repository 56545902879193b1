/* Layouts are a table; builds are those of the table of runs. */
#include "profile_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

	if (!db_prepare(profile, &statement, err,
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
	sqlite3_finalize(statement);
	return ok;
}

/* What is known of one part in the runs. */
struct placed {
	double *numbers; /* [n_rows] */
	uint8_t *absence;
	double least, most;
};

static bool read_places(struct profile *profile, const struct samples *samples,
			enum layout_part part, struct placed *ret, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t run, bytes;
	size_t row = 0, i;
	bool more, ok;

	if (!db_prepare(profile, &statement, err,
			"SELECT run, bytes FROM layout WHERE part = %Q ORDER BY run",
			feature_layout_name(part)))
		return false;
	while ((ok = db_step(profile, statement, &more, err)) && more) {
		ok = db_column_int(profile, statement, 0, &run, err) &&
		     db_column_int(profile, statement, 1, &bytes, err);
		if (!ok)
			break;
		for (i = rows_of_run(samples, run, &row); i < row; i++) {
			ret->numbers[i] = (double)bytes;
			ret->absence[i] = PRESENT;
			ret->least = bytes < ret->least ? (double)bytes : ret->least;
			ret->most = bytes > ret->most ? (double)bytes : ret->most;
		}
	}
	sqlite3_finalize(statement);
	return ok;
}

static void add_places(struct samples *samples, enum layout_part part, const struct placed *placed)
{
	const struct column like = {.name = feature_layout_name(part),
				    .role = COLUMN_FEATURE,
				    .type = FEATURE_INT,
				    .is_derived = true,
				    .provenance = FROM_SYSTEM};
	struct column *column;
	size_t at;

	if (!(placed->least < placed->most) ||
	    samples_find_column(samples, COLUMN_FEATURE, like.name) < samples->n_columns)
		return;
	at = samples_add_column(samples, &like);
	column = &samples->columns[at];
	memcpy(column->numbers, placed->numbers, samples->n_rows * sizeof(*placed->numbers));
	memcpy(column->absence, placed->absence, samples->n_rows);
}

bool profile_layout_load(struct profile *profile, struct samples *samples, struct err *err)
{
	struct placed placed;
	enum layout_part part;
	bool ok = load_builds(profile, samples, err);

	for (part = 0; ok && profile->version >= 7 && samples->n_rows && part < LAYOUT_PARTS;
	     part++) {
		placed = (struct placed){.least = 1e18, .most = -1};
		placed.numbers = mem_alloc(samples->n_rows * sizeof(*placed.numbers));
		placed.absence = mem_alloc(samples->n_rows);
		memset(placed.absence, ABSENT_NOT_MEASURED, samples->n_rows);
		ok = read_places(profile, samples, part, &placed, err);
		if (ok)
			add_places(samples, part, &placed);
		free(placed.numbers);
		free(placed.absence);
	}
	return ok;
}

void profile_layout_forget(struct samples *samples)
{
	enum layout_part part;

	for (part = 0; part < LAYOUT_PARTS; part++) {
		const size_t at =
			samples_find_column(samples, COLUMN_FEATURE, feature_layout_name(part));

		if (at < samples->n_columns)
			samples_remove_column(samples, at);
	}
}
