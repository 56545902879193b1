/* Runs by run_apart(); a temporary profile has a folder of its own, for what SQLite puts beside. */
#include "run_series.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "profile/profile_history.h"
#include "run_apart.h"

bool run_series_open(const struct options *options, struct arena *arena, struct run_series *ret,
		     struct err *err)
{
	const char *place = getenv("TMPDIR");

	*ret = (struct run_series){.arena = arena};
	if (options->output) {
		ret->profile = arena_strdup(arena, options->output);
		return access(ret->profile, F_OK) != 0 ||
		       err_set(err, ERR_USAGE, "%s is there already: give -o another name",
			       ret->profile);
	}
	ret->folder =
		arena_printf(arena, "%s/fathom-runs-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(ret->folder)) {
		err_set_errno(err, ERR_IO, errno, "%s cannot be made", ret->folder);
		ret->folder = NULL;
		return false;
	}
	ret->profile = arena_printf(arena, "%s/runs.fathom", ret->folder);
	return true;
}

bool run_series_measure(struct run_series *series, const struct options *options, char **program,
			struct err *err)
{
	struct random_state random = {.state = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid()};
	struct run_layout *layouts = arena_array(series->arena, struct run_layout, options->runs);
	struct options measuring = *options;
	bool ok = true;
	unsigned i;

	measuring.arguments = program;
	measuring.output = series->profile;
	measuring.quiet = true;
	run_apart_layouts(&random, options->layouts, options->runs, layouts);
	interrupt_start(INTERRUPT_BY_ANY, 0);
	for (i = 0; ok && i < options->runs && !interrupt_count(); i++) {
		if (!options->quiet)
			message_progress("run %u of %u", i + 1, options->runs);
		ok = run_apart(&measuring, &(struct run_place){layouts[i], series->place}, err);
	}
	message_progress_end();
	if (ok && interrupt_count() && i < 2)
		ok = err_set(err, ERR_NOT_FOUND, "interrupted before it had run");
	interrupt_stop();
	return ok && run_series_say_failures(series->profile, program[0], i, err);
}

bool run_series_say_failures(const char *path, const char *name, size_t most, struct err *err)
{
	struct arena *arena = arena_create();
	struct profile *profile = NULL;
	struct past_run *runs;
	size_t n = 0, i, failed = 0;
	const bool ok = profile_open(path, &profile, err) &&
			profile_history(profile, most, arena, &runs, &n, err);

	for (i = 0; ok && i < n; i++)
		failed += runs[i].has_ended &&
			  (runs[i].ending.how != ENDED_EXITED || runs[i].ending.number != 0);
	profile_close(profile);
	arena_destroy(arena);
	if (failed)
		message_note("%s failed in %zu of %zu runs: it may not have done what is compared",
			     name, failed, n);
	return ok;
}

void run_series_close(struct run_series *series)
{
	if (!series->folder)
		return;
	unlink(series->profile);
	rmdir(series->folder);
}
