/*
 * Stores and loads accounts of runs and functions; profile_write.c and profile_read.c do samples.
 */
#include "profile_accounts.h"
#include "profile_layout.h"

#include <math.h>

#include "profile.h"
#include "schema.h"

/* Fits leave out or outvote at least one in so many. */
enum { ODD_PART = 10 };

/* SQLite's integers are signed. */
static long long clamp(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : (long long)number;
}

bool profile_add_account(struct profile *profile, const struct function *function,
			 const char *module, const struct function_account *account,
			 struct err *err)
{
	const struct function_place place = {function->linkage, function->file, function->line,
					     module};
	const struct function_entry *entry =
		profile_functions_find_place(&profile->functions, &place);
	sqlite3_stmt *statement;
	bool ok;

	if (!entry)
		return true;
	if (!db_prepare(
		    profile, &statement, err,
		    "INSERT INTO account "
		    "(function, run, calls, abandoned, kept, stops, stopped_ns, open_ns, time_ns) "
		    "VALUES (%lld, %lld, %lld, %lld, %lld, %lld, %lld, %lld, ?) "
		    "ON CONFLICT DO UPDATE SET "
		    "calls = calls + excluded.calls, abandoned = abandoned + excluded.abandoned, "
		    "kept = kept + excluded.kept, stops = stops + excluded.stops, "
		    "stopped_ns = stopped_ns + excluded.stopped_ns, "
		    "time_ns = time_ns + excluded.time_ns, "
		    "open_ns = max(open_ns, excluded.open_ns)",
		    (long long)entry->id, (long long)profile->run, clamp(account->calls),
		    clamp(account->abandoned), clamp(account->kept), clamp(account->stops),
		    clamp(account->stopped_ns), clamp(account->open_ns)))
		return false;
	if (!account->untimed)
		sqlite3_bind_int64(statement, 1, account->time_ns);
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

bool profile_add_looped(struct profile *profile, const struct function *function,
			const char *module, const char *name, struct err *err)
{
	const struct function_place place = {function->linkage, function->file, function->line,
					     module};
	const struct function_entry *entry =
		profile_functions_find_place(&profile->functions, &place);
	sqlite3_stmt *statement;
	bool ok;

	if (!entry)
		return true;
	if (!db_prepare(profile, &statement, err,
			"INSERT OR IGNORE INTO absence (function, run, variable, reason, count) "
			"SELECT function, %lld, id, %Q, 0 FROM variable "
			"WHERE function = %lld AND name = %Q",
			(long long)profile->run, value_absence_name(ABSENT_LOOPED),
			(long long)entry->id, name))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool add_metric(struct profile *profile, int64_t run, const struct calibration *calibration,
		       enum metric metric, struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"INSERT OR REPLACE INTO calibration (run, metric, pair, stop, far, "
			"resolution) VALUES (%lld, %Q, ?1, ?2, ?3, ?4)",
			(long long)run, metric_info(metric)->keyword))
		return false;
	sqlite3_bind_double(statement, 1, calibration->pair[metric]);
	sqlite3_bind_double(statement, 2, calibration->stop[metric]);
	sqlite3_bind_double(statement, 3, calibration->far[metric]);
	sqlite3_bind_double(statement, 4, calibration->resolution[metric]);
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

/* The cost of a stop, in the run's own row, taken from the metric that is always measured. */
static bool add_stop(struct profile *profile, int64_t run, const struct calibration *calibration,
		     struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"UPDATE run SET stop_bias_ns = ?1, stop_cost_ns = ?2 WHERE id = %lld",
			(long long)run))
		return false;
	sqlite3_bind_double(statement, 1, 1000 * calibration->stop[METRIC_TIME]);
	sqlite3_bind_double(statement, 2, calibration->stop_cost_ns);
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

static bool add_pads(struct profile *profile, int64_t run, const struct pad_calibration *pads,
		     struct err *err)
{
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"INSERT OR REPLACE INTO pad_calibration (run, pair, call, record, "
			"drawn, word, resolution, heap, heap_inner, ended) "
			"VALUES (%lld, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
			(long long)run))
		return false;
	sqlite3_bind_double(statement, 1, pads->pair);
	sqlite3_bind_double(statement, 2, pads->call);
	sqlite3_bind_double(statement, 3, pads->record);
	sqlite3_bind_double(statement, 4, pads->drawn);
	sqlite3_bind_double(statement, 5, pads->word);
	sqlite3_bind_double(statement, 6, pads->resolution);
	sqlite3_bind_double(statement, 7, pads->heap);
	sqlite3_bind_double(statement, 8, pads->heap_inner);
	sqlite3_bind_double(statement, 9, pads->ended[METRIC_TIME]);
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok;
}

bool profile_accounts_calibration(struct profile *profile, int64_t run,
				  const struct calibration *calibration, struct err *err)
{
	enum metric metric;

	for (metric = 0; metric < METRIC_TOTALS; metric++)
		if (profile->totals & 1u << metric &&
		    !add_metric(profile, run, calibration, metric, err))
			return false;
	return (!calibration->pads.resolution || add_pads(profile, run, &calibration->pads, err)) &&
	       add_stop(profile, run, calibration, err);
}

static bool end_run(struct profile *profile, const struct ending *ending,
		    const struct account *account, struct err *err)
{
	static const char *const ends[] = {
		[ENDED_UNKNOWN] = "unknown",
		[ENDED_EXITED] = "exited",
		[ENDED_SIGNALLED] = "signalled",
		[ENDED_DETACHED] = "detached",
	};
	sqlite3_stmt *statement;
	bool ok;

	if (!db_prepare(profile, &statement, err,
			"UPDATE run SET ended = %Q, ending = %d, duration_ns = %lld, stops = %lld,"
			" stopped_ns = %lld, reads = %lld, far_stops = %lld,"
			" stolen = nullif(%!.17g, -1) WHERE id = %lld",
			ends[ending->how], ending->number, (long long)account->duration_ns,
			clamp(account->stops), clamp(account->stopped_ns), clamp(account->reads),
			clamp(account->far_stops), account->stolen, (long long)profile->run))
		return false;
	ok = db_run(profile, statement, err);
	sqlite3_finalize(statement);
	return ok &&
	       profile_accounts_calibration(profile, profile->run, &account->calibration, err) &&
	       profile_layout_store(profile, profile->run, &account->layout, err);
}

bool profile_end_run(struct profile *profile, const struct ending *ending,
		     const struct account *account, struct err *err)
{
	if (!db_begin(profile, err))
		return false;
	if (!end_run(profile, ending, account, err)) {
		db_rollback(profile);
		return false;
	}
	return db_commit(profile, err);
}

/* NULL if the layout lacks it, or the time of some calls is not known. */
static bool read_time(struct profile *profile, sqlite3_stmt *statement, int64_t calls,
		      struct samples *samples, struct err *err)
{
	const int type = sqlite3_column_type(statement, 2);

	if (type != SQLITE_INTEGER && type != SQLITE_NULL)
		return db_damaged(profile, "a time that is none", err);
	if (type == SQLITE_INTEGER)
		samples->total_us += sqlite3_column_int64(statement, 2) / 1e3;
	else if (calls)
		samples->total_us = NAN;
	return true;
}

/* The calls seen, of which samples may be a part, and their time. */
static bool account_count_calls(struct profile *profile, int64_t function, size_t n_rows,
				struct samples *samples, struct err *err)
{
	sqlite3_stmt *statement;
	size_t sum = 0;
	int64_t calls;
	int64_t run;
	int64_t last = -1;
	bool row = true;
	bool ok;

	if (!db_keep(
		    profile, &statement, err,
		    profile->version < 5
			    ? "SELECT calls, run, NULL FROM account WHERE function = ? ORDER BY run"
			    : "SELECT calls, run, time_ns FROM account WHERE function = ? "
			      "ORDER BY run"))
		return false;
	sqlite3_bind_int64(statement, 1, function);
	samples->total_us = 0;
	while ((ok = db_step(profile, statement, &row, err)) && row) {
		ok = db_column_int(profile, statement, 0, &calls, err) &&
		     db_column_int(profile, statement, 1, &run, err) &&
		     read_time(profile, statement, calls, samples, err);
		if (ok && run <= last)
			ok = db_damaged(profile, "its accounts are not in order", err);
		if (!ok)
			break;
		last = run;
		if (__builtin_add_overflow(sum, (size_t)calls, &sum))
			sum = SIZE_MAX;
	}
	sqlite3_reset(statement);
	samples->n_calls = sum > n_rows ? sum : n_rows;
	if (sum < n_rows) /* a run that goes on, or was killed */
		samples->total_us = NAN;
	return ok;
}

static bool read_resolution(struct profile *profile, sqlite3_stmt *statement,
			    struct samples *samples, struct err *err)
{
	const char *name = (const char *)sqlite3_column_text(statement, 0);
	enum metric metric = name ? metric_parse(name) : METRIC_COUNT;
	double resolution = sqlite3_column_double(statement, 1);
	int type = sqlite3_column_type(statement, 1);

	if (metric >= METRIC_TOTALS)
		return db_damaged(profile, "a calibration of an unknown metric", err);
	if ((type != SQLITE_FLOAT && type != SQLITE_NULL) || !isfinite(resolution) ||
	    resolution < 0)
		return db_damaged(profile, "a resolution that is none", err);
	samples->resolution[metric] = resolution;
	return true;
}

/* Are stops in more of its samples than a model leaves out as odd ones? */
static bool has_stops(const struct samples *samples)
{
	size_t n = 0;

	for (size_t i = 0; i < samples->n_rows; i++)
		n += samples->keys[i].stops > 0;
	return n > samples->n_rows / ODD_PART;
}

/*
 * The worst of all runs, as samples may be of any; of pads where these sufficed. A run whose own
 * calibration of pads had no result is as the others, but that nothing was subtracted.
 */
static bool load_resolution(struct profile *profile, struct samples *samples, struct err *err)
{
	static const char of_pads[] =
		"SELECT metric, max(coalesce((SELECT p.resolution FROM pad_calibration p"
		" WHERE p.run = calibration.run AND metric = 'time'),"
		" (SELECT max(p.resolution + p.pair) FROM pad_calibration p, run r"
		" WHERE r.id = calibration.run AND r.probes = 'pads' AND metric = 'time'),"
		" resolution)) FROM calibration GROUP BY metric";
	static const char of_stops[] =
		"SELECT metric, max(resolution) FROM calibration GROUP BY metric";
	sqlite3_stmt *statement;
	bool row = true;
	bool ok;

	if (profile->version < 4)
		return true;
	if (!db_keep(profile, &statement, err,
		     profile->version < 5 || has_stops(samples) ? of_stops : of_pads))
		return false;
	while ((ok = db_step(profile, statement, &row, err)) && row)
		if (!(ok = read_resolution(profile, statement, samples, err)))
			break;
	sqlite3_reset(statement);
	return ok;
}

bool profile_accounts_load(struct profile *profile, int64_t function, size_t n_rows,
			   struct samples *samples, struct err *err)
{
	return account_count_calls(profile, function, n_rows, samples, err) &&
	       load_resolution(profile, samples, err);
}

/* NAN: @number, an expression over the accounts of @function, is unknown there. */
static bool account_number(struct profile *profile, const char *function, const char *number,
			   double *ret, struct err *err)
{
	const struct function_entry *entry = profile_functions_find(&profile->functions, function);
	sqlite3_stmt *statement;
	char *sql;
	bool row, ok;

	*ret = NAN;
	if (!entry || profile->version < 5)
		return true;
	sql = sqlite3_mprintf("SELECT %s FROM account WHERE function = ?", number);
	if (!sql)
		return err_set(err, ERR_IO, "%s: out of memory", profile->path);
	ok = db_keep(profile, &statement, err, sql);
	sqlite3_free(sql);
	if (!ok)
		return false;
	sqlite3_bind_int64(statement, 1, entry->id);
	ok = db_step(profile, statement, &row, err);
	if (ok && row && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		*ret = sqlite3_column_double(statement, 0);
	sqlite3_reset(statement);
	return ok;
}

bool profile_function_time(struct profile *profile, const char *function, double *ret,
			   struct err *err)
{
	return account_number(profile, function, "sum(time_ns) / 1e9", ret, err);
}

bool profile_function_share(struct profile *profile, const char *function, double *ret,
			    struct err *err)
{
	/* Of few calls of a function that was closed for a time the long ones say nothing. */
	return account_number(
		profile, function,
		"CASE WHEN sum(open_ns) > min(2e8,"
		" 0.2 * (SELECT total(duration_ns) FROM run)) AND"
		" (sum(calls) >= 20 OR (SELECT max(max_overhead) FROM run) = 0 OR"
		" sum(open_ns) > 0.7 * (SELECT total(run.duration_ns - run.stopped_ns)"
		" FROM run WHERE id IN (SELECT seen.run FROM account AS seen"
		" WHERE seen.function = account.function))) THEN"
		" sum(CASE WHEN open_ns > 0 THEN time_ns END) * 1.0 /"
		" sum(CASE WHEN open_ns > 0 THEN open_ns END) END",
		ret, err);
}

bool profile_duration(struct profile *profile, double *ret, struct err *err)
{
	int64_t ns;

	if (!db_number(profile,
		       "SELECT total(CASE WHEN stopped_ns < duration_ns"
		       " THEN duration_ns - stopped_ns ELSE duration_ns END) FROM run",
		       &ns, err))
		return false;
	*ret = ns / 1e9;
	return true;
}
