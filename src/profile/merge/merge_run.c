/* Copies what is known of the client's last run. */
#include "merge_run.h"

#include <string.h>

#include "profile/db.h"

static bool run_read(struct profile *profile, struct arena *arena, struct run *ret, struct err *err)
{
	const char **texts[] = {&ret->command, &ret->executable, &ret->build_id,
				&ret->host,    &ret->kernel,     &ret->cpu};
	sqlite3_stmt *statement;
	size_t budget;
	bool row, ok;

	if (!db_size(profile, &budget, err) ||
	    !db_prepare(profile, &statement, err,
			"SELECT command, executable, build_id, host, kernel, cpu, started FROM run "
			"ORDER BY id DESC LIMIT 1"))
		return false;
	ok = db_step(profile, statement, &row, err);
	for (int i = 0; ok && row && i < 6; i++)
		ok = db_column_text(profile, statement, i, arena, &budget, texts[i], err);
	ok = ok && (!row || db_column_int(profile, statement, 6, &ret->started, err));
	sqlite3_finalize(statement);
	return ok;
}

bool merge_run_begin(const char *path, const struct samples *like, struct profile **ret,
		     struct err *err)
{
	struct arena *arena = arena_create();
	struct calibration calibration = {.stop_cost_ns = 0};
	struct run run = {.metrics = METRIC_BIT(METRIC_TOTALS) - 1, .calibration = &calibration};
	struct profile *client;
	bool ok = profile_open(path, &client, err);

	memcpy(calibration.resolution, like->resolution, sizeof(calibration.resolution));
	if (ok) {
		ok = run_read(client, arena, &run, err) &&
		     profile_open_to_add(NULL, run.build_id, ret, err) &&
		     profile_begin_run(*ret, &run, err);
		profile_close(client);
	}
	arena_destroy(arena);
	return ok;
}
