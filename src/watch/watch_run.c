/* The loop over periods; a temporary profile carries samples from the measuring processes here. */
#include "watch_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "judge/baseline.h"
#include "results/annotation_file.h"
#include "results/atomic_file.h"
#include "watch_check.h"
#include "watch_command.h"
#include "watch_lines.h"
#include "watch_processes.h"
#include "watch_store.h"

/* How often processes are looked for. */
static const uint64_t LOOK_NS = 200000000;

/* Of a function and a period, unless --samples says else: 32 processes are to fit into memory. */
enum { WATCH_SAMPLES = 2000 };

struct watching {
	const struct options *options;
	int (*measure)(const struct options *options);
	struct options measuring; /* of the measuring processes */
	struct annotation_list annotations;
	struct watch_state state;
	struct watch_store store;
	struct watch_processes processes;
	struct watch_observation *observations; /* [annotations.n] */
	struct arena *arena;                    /* of the watch */
	char *folder;                           /* of the profile; NULL: none yet */
	char *profile;
	char seen[WATCH_PROCESSES_MAX * 32]; /* the processes of the last period */
};

/* In a child of ours. */
static int measure_process(void *context, pid_t pid)
{
	struct watching *watching = context;
	char *words[] = {arena_printf(watching->arena, "%d", (int)pid), NULL};

	watching->measuring.arguments = words;
	watching->measuring.n_arguments = 1;
	return watching->measure(&watching->measuring);
}

static bool watch_choose(struct watching *watching, struct err *err)
{
	const struct options *options = watching->options;
	struct options *measuring = &watching->measuring;

	*measuring = *options;
	measuring->output = watching->profile;
	measuring->period_ms = (unsigned)(1000 * options->watch.every);
	measuring->no_models = measuring->quiet = measuring->many_builds = measuring->watched =
		true;
	measuring->verbose = false;
	measuring->seconds = 0;
	measuring->annotations = measuring->report = NULL;
	if (!measuring->samples || measuring->samples > WATCH_SAMPLES)
		measuring->samples = WATCH_SAMPLES;
	return baseline_choose(&watching->annotations, measuring, err);
}

static bool open_folder(struct watching *watching, struct err *err)
{
	const char *place = getenv("TMPDIR");
	char *folder = arena_printf(watching->arena, "%s/fathom-watch-XXXXXX",
				    place && *place ? place : "/tmp");

	if (!mkdtemp(folder))
		return err_set_errno(err, ERR_IO, errno, "%s cannot be made", folder);
	watching->folder = folder;
	watching->profile = arena_printf(watching->arena, "%s/period.fathom", folder);
	return true;
}

static void close_folder(const struct watching *watching)
{
	if (!watching->folder)
		return;
	unlink(watching->profile);
	rmdir(watching->folder);
}

static bool add_processes(struct watching *watching, struct err *err)
{
	const struct options *options = watching->options;
	pid_t pid;

	for (int i = 0; i < options->n_arguments; i++)
		if (!host_parse_pid(options->arguments[i], &pid, err) ||
		    !watch_processes_add(&watching->processes, pid, err))
			return false;
	return true;
}

static bool write_metrics(const struct watching *watching, struct err *err)
{
	struct atomic_file file;

	if (!atomic_file_begin(watching->options->watch.metrics_file, NULL, 0, &file, err))
		return false;
	watch_lines_metrics(&watching->state, watching->annotations.list, watching->processes.n,
			    file.file);
	return atomic_file_finish(&file, err);
}

static bool write_files(struct watching *watching, struct err *err)
{
	watching->store.processes = watching->seen;
	return (!watching->store.path ||
		watch_store_write(&watching->store, &watching->state, err)) &&
	       (!watching->options->watch.metrics_file || write_metrics(watching, err));
}

static bool watching_open(struct watching *watching, struct err *err)
{
	const struct options *options = watching->options;
	struct annotation_list *annotations = &watching->annotations;

	if (!annotation_file_read(options->annotations, annotations, err))
		return false;
	watching->state = (struct watch_state){
		.n = annotations->n,
		.subjects = arena_array(watching->arena, struct watch_subject, annotations->n + 1),
		.alpha = options->alpha,
		.tolerance = options->tolerance};
	watching->observations =
		arena_array(watching->arena, struct watch_observation, annotations->n + 1);
	watching->store = (struct watch_store){options->watch.state, annotations, ""};
	watching->processes = (struct watch_processes){
		.name = options->watch.name, .measure = measure_process, .context = watching};
	if (watching->store.path &&
	    !watch_store_read(&watching->store, &watching->state, watching->arena, err))
		return false;
	snprintf(watching->seen, sizeof(watching->seen), "%s", watching->store.processes);
	return open_folder(watching, err) && watch_choose(watching, err) &&
	       write_files(watching, err) && add_processes(watching, err);
}

/* New processes may differ from those before by as much as runs do. */
static void note_processes(struct watching *watching, const char *now)
{
	if (watch_processes_are_new(watching->seen, now))
		watch_state_renew(&watching->state);
	if (*now)
		snprintf(watching->seen, sizeof(watching->seen), "%s", now);
}

static void tell_change(struct watching *watching, size_t at, const char *pids)
{
	const struct watch_change change = {
		.annotation = watching->annotations.list[at],
		.subject = &watching->state.subjects[at],
		.samples = watching->observations[at].samples,
		.period = watching->state.periods + 1,
		.pids = pids,
	};

	if (watching->options->json)
		watch_lines_json(&change, stdout);
	else
		watch_lines_change(&change, stdout);
	fflush(stdout);
	if (watching->options->watch.on_change)
		watch_command_run(watching->options->watch.on_change, &change);
}

/* Take what was observed; @now in seconds since 1970. */
static void take_period(struct watching *watching, const char *pids, int64_t now)
{
	bool is_tested = false;

	for (size_t i = 0; i < watching->state.n; i++) {
		if (!watching->observations[i].samples)
			continue;
		is_tested = true;
		if (watch_state_take(&watching->state, i, &watching->observations[i], now))
			tell_change(watching, i, pids);
	}
	if (is_tested)
		watch_state_end_period(&watching->state);
	if (watching->options->verbose)
		watch_lines_period(&watching->state, now, stderr);
}

/* @pids: of those that were measured, perhaps to their end. */
static bool check_period(struct watching *watching, const char *pids, struct err *err)
{
	const struct options *options = watching->options;
	const struct check_options checking = {
		.alpha = watch_state_alpha(&watching->state),
		.alpha_runs = watch_state_alpha_runs(&watching->state),
		.tolerance = options->tolerance,
		.run_spread = options->run_spread,
	};

	if (access(watching->profile, F_OK) == 0) {
		if (!watch_check_period(watching->profile, &watching->annotations, &checking,
					watching->observations, err))
			return false;
		take_period(watching, pids, time(NULL));
	}
	return write_files(watching, err);
}

/* Until @end_ns, or until nothing is left to watch; false: that, or an interrupt. */
static bool wait_period(struct watching *watching, uint64_t end_ns)
{
	const struct timespec look = clock_timespec(LOOK_NS);

	while (!interrupt_count() && clock_now_ns() < end_ns) {
		watch_processes_tend(&watching->processes);
		if (!watching->processes.n && !watching->processes.name)
			return false;
		nanosleep(&look, NULL);
	}
	return !interrupt_count();
}

static bool watch_periods(struct watching *watching, struct err *err)
{
	const uint64_t every_ns = (uint64_t)(1e9 * watching->options->watch.every);
	uint64_t end_ns = clock_now_ns();
	bool goes_on = true;

	while (goes_on) {
		struct arena *arena = arena_create();
		const char *pids;
		bool ok;

		watch_processes_tend(&watching->processes);
		note_processes(watching, watch_processes_text(&watching->processes, arena));
		pids = watch_processes_pids(&watching->processes, arena);
		end_ns += every_ns;
		goes_on = wait_period(watching, end_ns);
		if (!goes_on)
			watch_processes_end(&watching->processes);
		ok = check_period(watching, pids, err);
		arena_destroy(arena);
		if (!ok)
			return false;
	}
	return true;
}

static int status_of(const struct watching *watching)
{
	for (size_t i = 0; i < watching->state.n; i++)
		if (watching->state.subjects[i].verdict == WATCH_VIOLATED)
			return EXIT_VIOLATED;
	return watching->state.periods || !watching->processes.status ? EXIT_DONE
								      : watching->processes.status;
}

bool watch_run(const struct options *options, int (*measure)(const struct options *options),
	       int *ret_status, struct err *err)
{
	struct watching watching = {
		.options = options, .measure = measure, .arena = arena_create()};
	bool ok;

	interrupt_start(INTERRUPT_BY_ANY, options->seconds);
	ok = watching_open(&watching, err) && watch_periods(&watching, err);
	watch_processes_end(&watching.processes);
	interrupt_stop();
	*ret_status = status_of(&watching);
	close_folder(&watching);
	annotation_parse_deinit(&watching.annotations);
	arena_destroy(watching.arena);
	return ok;
}
