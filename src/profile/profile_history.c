/* Reads the runs of a profile, which profile_runs.c and profile_accounts.c write. */
#include "profile_history.h"

#include <math.h>
#include <string.h>

#include "db.h"

/* Columns by version: before 4 the cost of a stop was not stored, before 5 no probes. */
static const char query[] =
	"SELECT id, command, executable, build_id, host, kernel, cpu, started, ended, ending, "
	"duration_ns, stops, stopped_ns, %s, %s "
	"FROM (SELECT * FROM run ORDER BY id DESC LIMIT %lld) ORDER BY id";

enum query_column {
	ID,
	COMMAND,
	EXECUTABLE,
	BUILD_ID,
	HOST,
	KERNEL,
	CPU,
	STARTED,
	ENDED,
	ENDING,
	DURATION,
	STOPS,
	STOPPED,
	STOP_COST,
	PROBES,
};

struct row {
	struct profile *profile;
	sqlite3_stmt *statement;
	struct arena *arena;
	size_t budget;
};

static bool read_texts(struct row *row, struct past_run *ret, const char **ended, struct err *err)
{
	const struct {
		enum query_column column;
		const char **text;
	} texts[] = {
		{COMMAND, &ret->run.command},
		{EXECUTABLE, &ret->run.executable},
		{BUILD_ID, &ret->run.build_id},
		{HOST, &ret->run.host},
		{KERNEL, &ret->run.kernel},
		{CPU, &ret->run.cpu},
		{ENDED, ended},
		{PROBES, &ret->run.probes},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!db_column_text(row->profile, row->statement, texts[i].column, row->arena,
				    &row->budget, texts[i].text, err))
			return false;
	return true;
}

static bool read_numbers(struct row *row, struct past_run *ret, struct err *err)
{
	int64_t numbers[STOP_COST];
	enum query_column i;

	numbers[ID] = 0;
	for (i = STARTED; i < STOP_COST; i++)
		if (i != ENDED && !db_column_int(row->profile, row->statement, i, &numbers[i], err))
			return false;
	if (!db_column_int(row->profile, row->statement, ID, &ret->id, err))
		return false;
	ret->run.started = numbers[STARTED];
	ret->ending.number = numbers[ENDING] > INT32_MAX ? INT32_MAX : (int)numbers[ENDING];
	ret->account.duration_ns = numbers[DURATION];
	ret->account.stops = numbers[STOPS];
	ret->account.stopped_ns = numbers[STOPPED];
	ret->stop_cost_ns = NAN;
	if (sqlite3_column_type(row->statement, STOP_COST) == SQLITE_FLOAT)
		ret->stop_cost_ns = sqlite3_column_double(row->statement, STOP_COST);
	if (!(ret->stop_cost_ns > 0 && isfinite(ret->stop_cost_ns)))
		ret->stop_cost_ns = NAN;
	return true;
}

static void set_ending(const char *ended, struct past_run *ret)
{
	ret->has_ended = ended != NULL;
	if (!ended)
		return;
	if (!strcmp(ended, "exited"))
		ret->ending.how = ENDED_EXITED;
	else if (!strcmp(ended, "signalled"))
		ret->ending.how = ENDED_SIGNALLED;
	else if (!strcmp(ended, "detached"))
		ret->ending.how = ENDED_DETACHED;
	else
		ret->ending.how = ENDED_UNKNOWN;
}

static bool history_read_rows(struct row *row, size_t most, struct past_run *ret, size_t *ret_n,
			      struct err *err)
{
	int64_t last = -1;
	bool more;
	size_t n;

	for (n = 0; db_step(row->profile, row->statement, &more, err); n++) {
		const char *ended = NULL;

		if (!more) {
			*ret_n = n;
			return true;
		}
		if (n == most)
			return db_damaged(row->profile, "it has too many runs", err);
		if (!read_texts(row, &ret[n], &ended, err) || !read_numbers(row, &ret[n], err))
			return false;
		set_ending(ended, &ret[n]);
		if (ret[n].id <= last)
			return db_damaged(row->profile, "its runs are not in order", err);
		last = ret[n].id;
	}
	return false;
}

/* Several words if a stranger's profile has them; they are bounded all the same. */
enum { PROBES_MOST = 8 };

bool profile_probes(struct profile *profile, struct arena *arena, const char *const **ret,
		    size_t *ret_n, struct err *err)
{
	struct row row = {.profile = profile, .arena = arena};
	const char **words = arena_array(arena, const char *, PROBES_MOST);
	size_t n = 0;
	bool more;
	bool ok;

	if (!db_size(profile, &row.budget, err) ||
	    !db_prepare(profile, &row.statement, err,
			profile->version < 5 ? "SELECT NULL LIMIT 0"
					     : "SELECT DISTINCT probes FROM run WHERE "
					       "probes IS NOT NULL ORDER BY 1 LIMIT %d",
			PROBES_MOST))
		return false;
	while ((ok = db_step(profile, row.statement, &more, err)) && more) {
		ok = db_column_text(profile, row.statement, 0, arena, &row.budget, &words[n++],
				    err);
		if (!ok)
			break;
	}
	sqlite3_finalize(row.statement);
	*ret = words;
	*ret_n = n;
	return ok;
}

bool profile_history(struct profile *profile, size_t most, struct arena *arena,
		     struct past_run **ret, size_t *ret_n, struct err *err)
{
	struct row row = {.profile = profile, .arena = arena};
	struct past_run *runs = arena_array(arena, struct past_run, most);
	bool ok;

	if (!db_size(profile, &row.budget, err) ||
	    !db_prepare(profile, &row.statement, err, query,
			profile->version < 4 ? "NULL" : "stop_cost_ns",
			profile->version < 5 ? "NULL" : "probes", (long long)most))
		return false;
	ok = history_read_rows(&row, most, runs, ret_n, err);
	sqlite3_finalize(row.statement);
	if (ok)
		*ret = runs;
	return ok;
}
