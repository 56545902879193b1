/*
 * One measurement of a launched or attached process: the programs, the profile, the session's
 * events. record/summary.c prints the final notes.
 */
#include "measure.h"

#include <unistd.h>

#include "accounts.h"
#include "choice.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "advise/precision_watch.h"
#include "default_profile.h"
#include "replan.h"
#include "summary.h"
#include "trace/calibrate.h"
#include "trace/counters.h"
#include "trace/session_halt.h"

/* How long the writer waits for a locked profile: the tracer may have to wait for the writer. */
enum { WRITER_PATIENCE_MS = 200 };

/* Often for the prompt, which looks at open calls. */
enum { PROMPT_TICK_MS = 50, TICK_MS_MIN = 20 };

void measure_say(const struct measurement *m, const char *note)
{
	if (!m->options->quiet)
		run_progress_note(&m->progress, note);
}

/* Mistyped names must not cost a run. */
static bool refuse_first(const struct measurement *m, struct err *err)
{
	const struct err *why = &m->first->why;
	bool elsewhere = why->code == ERR_NOT_FOUND || why->code == ERR_UNSUPPORTED;

	if (!elsewhere || m->first->has_function || m->options->follow_fork)
		return err_set(err, why->code, "%s", why->text);
	return err_set(err, why->code,
		       "%s; if it is run by something that %s starts, add --follow-fork", why->text,
		       m->name);
}

static bool measure_read_first(struct measurement *m, struct err *err)
{
	const struct program_source source = {
		.path = m->interpreter ? m->interpreter : m->path,
		.process = m->attached,
		.running = m->attached != 0,
		.whole = !m->interpreter && !m->options->follow_fork && !m->lenient,
	};

	m->programs = programs_create(m->options);
	m->first = programs_find(m->programs, &source);
	m->is_first_measured = m->first->catalogue != NULL;
	if (m->first->catalogue)
		return true;
	if (!m->interpreter && !programs_may_start_others(m->programs, m->first, m->path))
		return refuse_first(m, err);
	if (!m->interpreter || m->options->verbose)
		measure_say(m,
			    arena_printf(m->arena,
					 "nothing is measured of %s, perhaps of what it starts: %s",
					 m->first->path, m->first->reason));
	m->first->said = true;
	return true;
}

static bool measure_begin_run(struct measurement *m, struct err *err)
{
	const struct program *first = m->first;
	const struct catalogue *catalogue = first->catalogue;
	struct run run = {
		.command = m->command,
		.executable = first->path,
		.build_id = catalogue ? catalogue->modules[0].build_id : NULL,
		.libraries = first->libraries,
		.n_libraries = first->n_libraries,
		.metrics = m->options->metrics,
		.branches = m->options->branches,
		.max_overhead = m->options->max_overhead,
		.samples = m->options->samples,
		.period_ms = m->options->period_ms,
		.probes = m->probes,
		.other_build = m->options->many_builds,
		.calibration = &m->calibration,
	};

	host_describe(m->arena, &run);
	return profile_begin_run(m->profile, &run, err);
}

static bool measure_open_report(struct measurement *m, struct err *err)
{
	const char *inputs[] = {m->path, m->options->output, m->input};

	return output_open(m->options->report, inputs, 3, &m->output, err);
}

static bool check_counters(const struct measurement *m, struct err *err)
{
	const char *note;

	if (m->options->metrics >> METRIC_MEASURED)
		return err_set(err, ERR_USAGE,
			       "own, server and network are parts that fathom merge finds: measure "
			       "both programs with -m time,remote");
	if (!counters_check(m->options->metrics, &note, err))
		return false;
	if (note)
		measure_say(m, note);
	return true;
}

static bool open_profile(struct measurement *m, const char *path, struct err *err)
{
	const struct catalogue *catalogue = m->first->catalogue;
	const char *build_id =
		catalogue && !m->options->many_builds ? catalogue->modules[0].build_id : NULL;
	struct err why;

	if (m->options->unkept)
		measure_say(m,
			    arena_printf(m->arena, "no profile is kept: %s", m->options->unkept));
	if (m->options->keeps && !default_profile_begin(&m->lock, &why)) {
		if (m->live || m->options->no_models)
			return err_set(err, why.code, "%s", why.text);
		measure_say(m, arena_printf(m->arena, "no profile is kept: %s", why.text));
		path = NULL;
	}
	if (m->shared && *m->shared) {
		m->profile = *m->shared;
		return true; /* profile_begin_run() refuses another build */
	}
	if (!profile_open_to_add(path, build_id, &m->profile, err))
		return false;
	if (m->shared)
		*m->shared = m->profile;
	return true;
}

static struct recorder *make_recorder(const struct measurement *m)
{
	const struct recorder_options options = {.metrics = m->options->metrics,
						 .samples = m->options->samples,
						 .sample_by = m->options->sample_by,
						 .sample_share = m->options->sample_share,
						 .adapts = m->options->adapt,
						 .sites = m->options->sites,
						 .debuginfo_path = m->options->debuginfo_path,
						 .period_ms = m->options->period_ms};

	return recorder_create(m->profile, &options);
}

static void measure_hurry(struct measurement *m, pid_t program)
{
	measure_say(m, tracer_limits_hurry(&m->urgency, program, m->arena));
	run_progress_note(&m->progress,
			  tracer_limits_lift(m->arena)); /* not all will be measured */
}

bool measure_open(struct measurement *m, struct err *err)
{
	const char *path = m->live ? live_run_profile(m->live) : m->options->output;
	const struct session_options options = measure_session_options(m);
	const char *why;

	m->probes = options.probes == PROBES_HARDWARE       ? "hardware"
		    : session_pads_possible(&options, &why) ? "pads"
							    : "stops";
	if (!check_counters(m, err) || !measure_read_first(m, err) ||
	    !measure_open_report(m, err) || !open_profile(m, path, err) ||
	    !calibrate(&options, &m->calibration, err) || !measure_begin_run(m, err))
		return false;
	if (path && !m->options->many_builds)
		programs_keep_code(m->programs, m->profile);
	if (!replan_watch(m, path, err))
		return false;
	if (m->live || m->precise)
		profile_begin_sharing(m->profile);
	m->recorder = make_recorder(m);
	if (m->attached) /* to attach stops it */
		measure_hurry(m, m->attached);
	return true;
}

bool measure_take_streams(struct measurement *m, struct err *err)
{
	return !m->live || live_run_take_streams(m->live, err);
}

struct session_options measure_session_options(const struct measurement *m)
{
	return (struct session_options){.metrics = m->options->metrics,
					.branches = m->options->branches,
					.loops = m->options->loops,
					.sites = m->options->sites,
					.mappings = m->options->mappings,
					.every_call = !m->options->samples,
					.max_overhead = m->options->max_overhead,
					.prompt = m->prompt,
					.probes = m->options->probes,
					.follow_fork = m->options->follow_fork,
					.layout = m->options->layout,
					.calibration = &m->calibration};
}

const struct catalogue *measure_catalogue(const struct measurement *m)
{
	return m->first->catalogue;
}

static void add_image(struct measurement *m, struct program *program, unsigned image, bool own)
{
	programs_measure(m->programs, program, image, own);
	recorder_add_image(m->recorder, image, program->catalogue, program->modules);
}

/* Make session_next() return every @ms milliseconds, at least TICK_MS_MIN; 0: never. */
static void tick_start(struct measurement *m, unsigned ms)
{
	const uint64_t every_ns = (ms < TICK_MS_MIN ? TICK_MS_MIN : ms) * UINT64_C(1000000);

	if (ms)
		clock_timer_set(&m->tick, clock_now_ns() + every_ns, every_ns);
}

void measure_begin(struct measurement *m, struct session *session)
{
	m->session = session;
	m->processors = host_processors();
	if (!m->attached)
		measure_hurry(m, session_process(session));
	if (m->first->catalogue)
		add_image(m, m->first, 0, true);
	if (!m->prompt)
		interrupt_start(m->attached ? INTERRUPT_BY_ANY : INTERRUPT_BY_TERMINAL, m->seconds);
	profile_set_patience(m->profile, WRITER_PATIENCE_MS);
	if (m->choice)
		choice_begin(m);
	tick_start(m, m->prompt ? PROMPT_TICK_MS : m->choice ? TICK_MS_MIN : m->options->period_ms);
	if (m->live)
		live_run_begin(m->live);
}

/* Errors of the profile do not end the program: calls are kept, and storing is tried again. */
static void say_unstored(struct measurement *m, const struct err *why)
{
	if (m->said_unstored)
		return;
	m->said_unstored = true;
	if (!m->options->quiet)
		message_note("%s; the samples are kept, and it is tried again", why->text);
}

static void measure_hurry_again(struct measurement *m)
{
	pid_t tids[4096];

	if (m->interrupted || !tracer_limits_is_due(&m->urgency))
		return;
	measure_say(m, tracer_limits_hurry_as(&m->urgency, tids,
					      session_threads(m->session, tids, 4096), m->arena));
}

void measure_keep(struct measurement *m, const struct call_record *call)
{
	struct err err;

	measure_hurry_again(m);
	if (!recorder_add(m->recorder, call, &err))
		say_unstored(m, &err);
}

void measure_limit(struct measurement *m, const struct session_event *event)
{
	recorder_limit(m->recorder, event->limit.image, event->limit.function, event->limit.limit);
}

void measure_tend(struct measurement *m)
{
	struct err err;

	measure_hurry_again(m);
	if (!recorder_tend(m->recorder, &err))
		say_unstored(m, &err);
}

/* The process is stopped: wait at most 2 s for a locked profile. */
static bool join_profile(struct measurement *m, const struct program *program, bool *ret_own,
			 struct err *err)
{
	const struct run_library library = {program->path, program->catalogue->modules[0].build_id};
	bool ok;

	recorder_pause(m->recorder);
	profile_set_patience(m->profile, 2000);
	ok = profile_add_program(m->profile, &library, program->libraries, program->n_libraries,
				 ret_own, err);
	profile_set_patience(m->profile, WRITER_PATIENCE_MS);
	return ok;
}

static bool measure_program(struct measurement *m, struct program *program, struct err *err)
{
	bool own = false;
	unsigned image;

	if (!program->catalogue)
		return err_set(err, program->why.code, "%s", program->reason);
	if (!program->is_measured && !join_profile(m, program, &own, err)) {
		programs_give_up(m->programs, program, err);
		return false;
	}
	if (!session_measure(m->session, program->catalogue, &image, err))
		return false;
	if (!program->is_measured)
		add_image(m, program, image, own);
	return true;
}

static bool is_worth_saying(const struct measurement *m, const struct session_event *event,
			    const struct err *why)
{
	return (event->image.is_first && m->is_first_measured) || m->options->verbose ||
	       !programs_is_ordinary(why);
}

/* Once of each program; of the one that was launched launcher_find() has said it. */
static void image_note_rights(const struct measurement *m, const struct session_event *event,
			      struct program *program)
{
	const char *words = program == m->first ? NULL : host_lost_rights(event->image.path);

	if (!words || program->lost_rights)
		return;
	program->lost_rights = true;
	measure_say(m, arena_printf(m->arena, "process %d executes %s, which %s",
				    (int)event->image.pid, program->path, words));
}

void measure_take_image(struct measurement *m, const struct session_event *event)
{
	const struct program_source source = {.path = event->image.path,
					      .process = event->image.pid};
	struct program *program = programs_find(m->programs, &source);
	bool already = program->is_measured;
	struct err why;
	bool measured = measure_program(m, program, &why);

	image_note_rights(m, event, program);
	if (measured && !already && m->options->verbose)
		message_note("process %d executes %s, which is measured", (int)event->image.pid,
			     program->path);
	if (!measured && !program->said && is_worth_saying(m, event, &why)) {
		measure_say(m,
			    arena_printf(m->arena,
					 "process %d executes %s, of which nothing is measured: %s",
					 (int)event->image.pid, program->path, why.text));
		program->said = true;
	}
	if (event->image.is_first)
		m->is_first_measured = measured;
}

static bool is_running(const struct measurement *m)
{
	return session_process(m->session);
}

static void measure_end_early(struct measurement *m)
{
	m->interrupted = is_running(m);
	session_detach(m->session);
	if (m->live)
		live_run_end(m->live);
}

/* False: all that was called, of what was chosen to the end, is known precisely. */
static bool measure_until_precise(struct measurement *m)
{
	if (replan_learned(m) || (m->choice && choice_is_open(m->choice)))
		return true;
	measure_say(m, m->attached
			       ? "the measurement has ended: what calls cost is known"
			       : "the measurement has ended: what calls cost is known; the program "
				 "goes on to its end (Ctrl-C: it is not waited for)");
	return false;
}

/*
 * The first interrupt ends the measurement; a launched program goes on, and is waited for until the
 * second one. Returns whether to stop waiting.
 */
static bool measure_take_interrupts(struct measurement *m, unsigned *seen)
{
	if (interrupt_count() == *seen)
		return false;
	if (!*seen && !m->interrupted) {
		measure_end_early(m);
		if (m->live && interrupt_is_final())
			live_run_dismiss(m->live);
		if (!m->attached && m->interrupted)
			measure_say(
				m,
				"the measurement has ended; the program goes on to its end (Ctrl-C "
				"again: it is not waited for)");
	} else if (!m->attached) {
		return true;
	}
	*seen = interrupt_count();
	return false;
}

static void post_numbers(const struct measurement *m)
{
	struct program *const *programs;
	const size_t n = programs_measured(m->programs, &programs);
	struct live_numbers numbers = {.overhead = session_overhead(m->session)};

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < programs[i]->catalogue->n_functions; j++) {
			numbers.seen += session_function_account(m->session, i, j)->calls;
			numbers.kept += recorder_kept(m->recorder, i, j);
		}
	live_run_post(m->live, &numbers);
}

/* While functions are being chosen, time is looked at often. */
static void measure_choose(struct measurement *m)
{
	if (choice_is_open(m->choice) && !choice_tend(m))
		tick_start(m, m->options->period_ms);
}

static bool record(struct measurement *m, struct ending *ret, struct err *err)
{
	struct session_event event;
	unsigned seen = 0;

	*ret = (struct ending){.how = ENDED_DETACHED};
	while (!measure_take_interrupts(m, &seen)) {
		if (!session_next(m->session, &event, err))
			return false;
		switch (event.kind) {
		case SESSION_CALL:
			measure_keep(m, &event.call);
			break;
		case SESSION_LIMIT:
			measure_limit(m, &event);
			break;
		case SESSION_NOTE:
			measure_say(m, event.note);
			break;
		case SESSION_IMAGE:
			measure_take_image(m, &event);
			break;
		case SESSION_PAUSE:
			measure_tend(m);
			if (m->precise && !m->interrupted && !measure_until_precise(m))
				measure_end_early(m);
			break;
		case SESSION_BEGAN: /* only for the prompt, as are the next ones */
		case SESSION_LINE:
		case SESSION_SIGNAL:
			break;
		case SESSION_ENDED:
			*ret = event.ending;
			return true;
		}
		if (m->choice && !seen && !m->interrupted)
			measure_choose(m);
		if (m->live && live_run_is_due(m->live))
			post_numbers(m);
		if (!m->live && !m->options->quiet &&
		    run_progress_is_due(&m->progress, session_process(m->session)))
			run_progress_show(&m->progress, m->session, m->programs);
	}
	return true;
}

bool measure_store(struct measurement *m, const struct ending *ending, struct err *err)
{
	struct account account = *session_account(m->session);

	account.stolen = host_stolen(&m->processors);
	tracer_limits_release(&m->urgency);
	recorder_pause(m->recorder);
	profile_set_patience(m->profile, 10000);
	return recorder_flush(m->recorder, err) && recorder_add_looped(m->recorder, err) &&
	       accounts_store_all(m, err) && profile_end_run(m->profile, ending, &account, err);
}

static bool measure_finish(struct measurement *m, struct err *err)
{
	return m->finish(m, err) && output_close(&m->output, err);
}

/* A temporary profile: with what was stored; if that cannot be, with nothing. */
static bool replace_profile(struct measurement *m)
{
	struct profile *const left = m->profile;
	struct err ignored;
	bool ok;

	m->profile = NULL;
	if (m->shared)
		*m->shared = NULL;
	ok = profile_open_copy(left, &m->profile, &ignored);
	profile_close(left);
	if (ok && m->shared)
		*m->shared = m->profile;
	return ok || (open_profile(m, NULL, &ignored) && measure_begin_run(m, &ignored));
}

/* Report what was measured although the profile did not take it all. */
static void finish_unstored(struct measurement *m, const struct ending *ending)
{
	struct err ignored;

	m->unstored = true;
	if (!replace_profile(m))
		return;
	recorder_redirect(m->recorder, m->profile);
	if (!recorder_flush(m->recorder, &ignored))
		return;
	measure_store(m, ending, &ignored);
	measure_finish(m, &ignored);
}

static void measure_wait_for_explorer(struct measurement *m)
{
	if (!m->live)
		return;
	post_numbers(m);
	live_run_finish(m->live);
}

bool measure_to_end(struct measurement *m, struct err *err)
{
	struct ending ending;
	bool stored = record(m, &ending, err);
	uint64_t calls;

	run_progress_end(&m->progress);
	if (!stored)
		return false;
	clock_timer_deinit(&m->tick);
	if (m->choice)
		choice_end(m);
	calls = summary_say(m, &ending);
	stored = measure_store(m, &ending, err);
	measure_wait_for_explorer(m);
	interrupt_stop();
	if (!stored) {
		finish_unstored(m, &ending);
		return err_add(err, "samples were not stored");
	}
	if (!calls && !m->options->watched)
		return m->choice ? choice_nothing(m, err) : summary_nothing(m, err);
	interrupt_start(INTERRUPT_BY_TERMINAL, 0); /* what is modelled by then is kept */
	stored = measure_finish(m, err);
	if (m->choice)
		choice_keep_lines(m); /* finding them takes a while: nobody waits for it */
	return stored;
}

void measure_release(struct measurement *m)
{
	struct err ignored;

	if (!m->prompt)
		interrupt_stop();
	clock_timer_deinit(&m->tick);
	output_close(&m->output, &ignored);
	session_destroy(m->session); /* before any waiting */
	recorder_destroy(m->recorder);
	if (m->live)
		live_run_stop(m->live);
	if ((m->live || m->precise) && m->profile)
		profile_end_sharing(m->profile);
	precision_watch_destroy(m->precise);
	if (!m->shared)
		profile_close(m->profile);
	if (m->lock)
		close(m->lock);
	live_run_destroy(m->live);
	programs_destroy(m->programs);
	choice_destroy(m->choice);
	arena_destroy(m->arena);
}
