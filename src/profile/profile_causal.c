/* The tables of causal experiments, which only profiles have that hold some. */
#include "profile_causal.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "db.h"

enum { PROGRESS_MAX = 64, UNITS_MAX = 100000, EXPERIMENTS_MAX = 1000000 };

static const char TABLES[] =
	"CREATE TABLE IF NOT EXISTS causal (id INTEGER PRIMARY KEY, setting TEXT UNIQUE,"
	" build_id TEXT, whole INTEGER, arrival INTEGER, load REAL, runtime_s REAL, calm_s REAL,"
	" bringing_threads REAL, bringing_share REAL, serving_threads REAL, serving_share REAL);"
	"CREATE TABLE IF NOT EXISTS causal_progress (causal INTEGER, number INTEGER, name TEXT,"
	" latency INTEGER, PRIMARY KEY (causal, number)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS causal_unit (causal INTEGER, number INTEGER, name TEXT,"
	" file TEXT, line INTEGER, is_load INTEGER, samples REAL,"
	" PRIMARY KEY (causal, number)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS experiment (causal INTEGER, number INTEGER, unit INTEGER,"
	" pair INTEGER, speedup REAL, flaw INTEGER, elapsed_s REAL, inserted_s REAL,"
	" waited_s REAL, PRIMARY KEY (causal, number)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS experiment_seen (causal INTEGER, experiment INTEGER,"
	" progress INTEGER, visits REAL, open REAL, grown REAL,"
	" PRIMARY KEY (causal, experiment, progress)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS experiment_sampled (causal INTEGER, experiment INTEGER,"
	" unit INTEGER, samples REAL, PRIMARY KEY (causal, experiment, unit)) WITHOUT ROWID;";

/* Its rows, each with the number of the row as the first value. */
static bool each_row(struct profile *profile, const char *sql, int64_t id,
		     bool (*take)(void *self, struct profile *profile, sqlite3_stmt *row,
				  struct err *err),
		     void *self, struct err *err)
{
	sqlite3_stmt *statement;
	bool row, ok;

	if (!db_prepare(profile, &statement, err, "%s", sql))
		return false;
	sqlite3_bind_int64(statement, 1, id);
	while ((ok = db_step(profile, statement, &row, err)) && row && ok)
		if (!(ok = take(self, profile, statement, err)))
			break;
	sqlite3_finalize(statement);
	return ok;
}

struct reading {
	struct causal_progress progress[PROGRESS_MAX];
	size_t n_progress;
	struct experiments *experiments;
	struct experiment experiment; /* the one whose parts are read */
	struct progress_seen seen[PROGRESS_MAX];
	double *samples;
	size_t n_experiments;
	int64_t id;
};

static double real_at(sqlite3_stmt *row, int column)
{
	const double number = sqlite3_column_double(row, column);

	return isfinite(number) ? number : 0;
}

/* An index below @n. */
static bool index_at(struct profile *profile, sqlite3_stmt *row, int column, size_t n, size_t *ret,
		     struct err *err)
{
	const int64_t number = sqlite3_column_int64(row, column);

	*ret = (size_t)number;
	return (number >= 0 && (size_t)number < n) ||
	       db_damaged(profile, "an experiment's number is out of range", err);
}

static const char *text_at(const struct profile *profile, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? arena_strdup(profile->arena, text) : NULL;
}

static bool take_progress(void *self, struct profile *profile, sqlite3_stmt *row, struct err *err)
{
	struct reading *reading = self;
	const char *name = text_at(profile, row, 0);

	if (reading->n_progress == PROGRESS_MAX)
		return db_damaged(profile, "too many progress points", err);
	reading->progress[reading->n_progress++] = (struct causal_progress){
		.name = name ? name : "", .latency = sqlite3_column_int(row, 1) != 0};
	return true;
}

static bool take_unit(void *self, struct profile *profile, sqlite3_stmt *row, struct err *err)
{
	struct experiments *experiments = ((struct reading *)self)->experiments;
	const char *name = text_at(profile, row, 0);
	const int64_t line = sqlite3_column_int64(row, 2);
	unsigned unit;

	if (experiments->n_units == UNITS_MAX || line < 0 || line > INT32_MAX)
		return db_damaged(profile, "units of experiments", err);
	unit = experiment_table_add_unit(experiments, name ? name : "", text_at(profile, row, 1),
					 (unsigned)line);
	experiments->units[unit].is_load = sqlite3_column_int(row, 3) != 0;
	experiments->units[unit].samples = fmax(real_at(row, 4), 0);
	return true;
}

static bool take_seen(void *self, struct profile *profile, sqlite3_stmt *row, struct err *err)
{
	struct reading *reading = self;
	size_t i;

	if (!index_at(profile, row, 0, reading->n_progress, &i, err))
		return false;
	reading->seen[i] =
		(struct progress_seen){real_at(row, 1), real_at(row, 2), real_at(row, 3)};
	return true;
}

static bool take_sampled(void *self, struct profile *profile, sqlite3_stmt *row, struct err *err)
{
	struct reading *reading = self;
	size_t i;

	if (!index_at(profile, row, 0, reading->experiments->n_units, &i, err))
		return false;
	reading->samples[i] = fmax(real_at(row, 1), 0);
	return true;
}

static bool take_experiment(void *self, struct profile *profile, sqlite3_stmt *row, struct err *err)
{
	struct reading *reading = self;
	size_t unit, pair, flaw, i;

	if (!index_at(profile, row, 1, reading->experiments->n_units, &unit, err) ||
	    !index_at(profile, row, 2, EXPERIMENTS_MAX, &pair, err) ||
	    !index_at(profile, row, 4, EXPERIMENT_FLAWS, &flaw, err))
		return false;
	if (++reading->n_experiments > EXPERIMENTS_MAX)
		return db_damaged(profile, "too many experiments", err);
	for (i = 0; i < reading->n_progress; i++)
		reading->seen[i] = (struct progress_seen){0};
	for (i = 0; i < reading->experiments->n_units; i++)
		reading->samples[i] = 0;
	reading->experiment = (struct experiment){.unit = (unsigned)unit,
						  .pair = (unsigned)pair,
						  .speedup = fmin(fmax(real_at(row, 3), 0), 0.99),
						  .flaw = (enum experiment_flaw)flaw,
						  .elapsed_s = real_at(row, 5),
						  .inserted_s = real_at(row, 6),
						  .waited_s = real_at(row, 7),
						  .seen = reading->seen,
						  .samples = reading->samples,
						  .n_samples = reading->experiments->n_units};
	if (!each_row(profile,
		      arena_printf(profile->arena,
				   "SELECT progress, visits, open, grown FROM experiment_seen "
				   "WHERE causal = ? AND experiment = %lld",
				   (long long)sqlite3_column_int64(row, 0)),
		      reading->id, take_seen, reading, err) ||
	    !each_row(profile,
		      arena_printf(profile->arena,
				   "SELECT unit, samples FROM experiment_sampled "
				   "WHERE causal = ? AND experiment = %lld",
				   (long long)sqlite3_column_int64(row, 0)),
		      reading->id, take_sampled, reading, err))
		return false;
	experiment_table_add(reading->experiments, &reading->experiment);
	return true;
}

static bool take_causal(void *self, struct profile *profile, sqlite3_stmt *row, struct err *err)
{
	struct reading *reading = self;
	struct experiments *experiments;
	const int64_t arrival = sqlite3_column_int64(row, 1);
	bool ok;

	if (!each_row(profile,
		      "SELECT name, latency FROM causal_progress WHERE causal = ? ORDER BY number",
		      reading->id, take_progress, reading, err))
		return false;
	if (!reading->n_progress || arrival < -1 || arrival >= (int64_t)reading->n_progress)
		return db_damaged(profile, "experiments without a progress point", err);
	experiments = experiment_table_create(reading->progress, reading->n_progress);
	reading->experiments = experiments;
	experiments->whole = sqlite3_column_int(row, 0) != 0;
	experiments->arrival = (int)arrival;
	experiments->load = fmax(real_at(row, 2), 1);
	experiments->runtime_s = real_at(row, 3);
	experiments->calm_s = real_at(row, 4);
	experiments->bringing = (struct causal_busy){real_at(row, 5), real_at(row, 6)};
	experiments->serving = (struct causal_busy){real_at(row, 7), real_at(row, 8)};
	if (!each_row(profile,
		      "SELECT name, file, line, is_load, samples FROM causal_unit "
		      "WHERE causal = ? ORDER BY number",
		      reading->id, take_unit, reading, err))
		return false;
	reading->samples = mem_alloc((experiments->n_units + 1) * sizeof(double));
	ok = each_row(profile,
		      "SELECT number, unit, pair, speedup, flaw, elapsed_s, inserted_s, waited_s "
		      "FROM experiment WHERE causal = ? ORDER BY number",
		      reading->id, take_experiment, reading, err);
	free(reading->samples);
	return ok;
}

static bool has_tables(struct profile *profile, bool *ret, struct err *err)
{
	int64_t n = 0;
	const bool ok =
		db_number(profile,
			  "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name "
			  "IN ('causal', 'causal_progress', 'causal_unit', 'experiment', "
			  "'experiment_seen', 'experiment_sampled')",
			  &n, err);

	*ret = n == 6;
	return ok;
}

bool profile_load_experiments(struct profile *profile, size_t i, struct kept_experiments *ret,
			      struct err *err)
{
	struct reading reading = {.n_progress = 0};
	sqlite3_stmt *statement;
	bool row = false, ok;

	*ret = (struct kept_experiments){NULL};
	if (!has_tables(profile, &row, err) || !row)
		return !row;
	if (!db_prepare(profile, &statement, err,
			"SELECT id, setting, build_id FROM causal ORDER BY id LIMIT 1 OFFSET %lld",
			(long long)i))
		return false;
	ok = db_step(profile, statement, &row, err);
	if (ok && row) {
		reading.id = sqlite3_column_int64(statement, 0);
		ret->setting = text_at(profile, statement, 1);
		ret->build_id = text_at(profile, statement, 2);
	}
	sqlite3_finalize(statement);
	if (!ok || !row)
		return ok;
	ok = each_row(profile,
		      "SELECT whole, arrival, load, runtime_s, calm_s, bringing_threads, "
		      "bringing_share, serving_threads, serving_share FROM causal WHERE id = ?",
		      reading.id, take_causal, &reading, err);
	if (ok)
		ret->experiments = reading.experiments;
	else
		experiment_table_destroy(reading.experiments);
	return ok;
}

/* Values of one row: %d of db_prepare() for whole numbers, texts and reals are bound. */
static bool put_row(struct profile *profile, const char *sql, const char *name, const char *file,
		    const double *numbers, int n, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err, "%s", sql))
		return false;
	for (int i = 0; i < n; i++)
		sqlite3_bind_double(statement, i + 1, numbers[i]);
	if (name)
		sqlite3_bind_text(statement, n + 1, name, -1, SQLITE_STATIC);
	if (file)
		sqlite3_bind_text(statement, n + 2, file, -1, SQLITE_STATIC);
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

#define COUNT(numbers) (int)(sizeof(numbers) / sizeof((numbers)[0]))

static bool put_experiment(struct profile *profile, double id, const struct experiments *all,
			   size_t at, struct err *err)
{
	const struct experiment *one = &all->list[at];
	const double numbers[] = {id,           at,        one->unit,      one->pair,
				  one->speedup, one->flaw, one->elapsed_s, one->inserted_s,
				  one->waited_s};
	bool ok = put_row(profile, "INSERT INTO experiment VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			  NULL, NULL, numbers, COUNT(numbers), err);

	for (size_t i = 0; i < all->n_progress && ok; i++) {
		const double seen[] = {
			id, at, i, one->seen[i].visits, one->seen[i].open, one->seen[i].grown};

		ok = put_row(profile, "INSERT INTO experiment_seen VALUES (?, ?, ?, ?, ?, ?)", NULL,
			     NULL, seen, COUNT(seen), err);
	}
	for (size_t i = 0; i < one->n_samples && ok; i++) {
		const double sampled[] = {id, at, i, one->samples[i]};

		ok = one->samples[i] == 0 ||
		     put_row(profile, "INSERT INTO experiment_sampled VALUES (?, ?, ?, ?)", NULL,
			     NULL, sampled, COUNT(sampled), err);
	}
	return ok;
}

static bool put_all(struct profile *profile, double id, const struct experiments *all,
		    struct err *err)
{
	bool ok = true;

	for (size_t i = 0; i < all->n_progress && ok; i++) {
		const double numbers[] = {id, i, all->progress[i].latency};

		ok = put_row(profile,
			     "INSERT INTO causal_progress (causal, number, latency, name) "
			     "VALUES (?, ?, ?, ?)",
			     all->progress[i].name, NULL, numbers, COUNT(numbers), err);
	}
	for (size_t i = 0; i < all->n_units && ok; i++) {
		const struct causal_unit *unit = &all->units[i];
		const double numbers[] = {id, i, unit->line, unit->is_load, unit->samples};

		ok = put_row(profile,
			     "INSERT INTO causal_unit (causal, number, line, is_load, samples, "
			     "name, file) VALUES (?, ?, ?, ?, ?, ?, ?)",
			     unit->name, unit->file, numbers, COUNT(numbers), err);
	}
	for (size_t i = 0; i < all->n && ok; i++)
		ok = put_experiment(profile, id, all, i, err);
	return ok;
}

static bool delete_setting(struct profile *profile, const char *setting, struct err *err)
{
	static const char *const tables[] = {"causal_progress", "causal_unit", "experiment",
					     "experiment_seen", "experiment_sampled"};
	char sql[200];
	bool ok = true;

	for (size_t i = 0; i < COUNT(tables) && ok; i++) {
		snprintf(sql, sizeof(sql),
			 "DELETE FROM %s WHERE causal IN (SELECT id FROM causal WHERE setting = ?)",
			 tables[i]);
		ok = put_row(profile, sql, setting, NULL, NULL, 0, err);
	}
	return ok && put_row(profile, "DELETE FROM causal WHERE setting = ?", setting, NULL, NULL,
			     0, err);
}

bool profile_keep_experiments(struct profile *profile, const struct kept_experiments *kept,
			      struct err *err)
{
	const struct experiments *all = kept->experiments;
	const double numbers[] = {all->whole,          all->arrival,         all->load,
				  all->runtime_s,      all->calm_s,          all->bringing.threads,
				  all->bringing.share, all->serving.threads, all->serving.share};
	int64_t id = 0;

	if (!db_begin(profile, err))
		return false;
	if (db_exec(profile, TABLES, err) && delete_setting(profile, kept->setting, err) &&
	    put_row(profile,
		    "INSERT INTO causal (whole, arrival, load, runtime_s, calm_s, "
		    "bringing_threads, bringing_share, serving_threads, serving_share, setting, "
		    "build_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    kept->setting, kept->build_id, numbers, COUNT(numbers), err) &&
	    db_number(profile, "SELECT max(id) FROM causal", &id, err) &&
	    put_all(profile, (double)id, all, err))
		return db_commit(profile, err);
	db_rollback(profile);
	return false;
}
