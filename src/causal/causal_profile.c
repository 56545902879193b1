/*
 * What options mean for a causal profile, and the session it needs. trace/causal experiments;
 * causal_points.c and causal_units.c find points and units.
 */
#include "causal_profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/unit.h"
#include "causal_keep.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/leak_check.h"
#include "cli/message.h"
#include "cli/process_files.h"
#include "cli/tracer_limits.h"
#include "model/causal/causal_model.h"
#include "trace/ptrace_access.h"
#include "trace/session_halt.h"

/* More leaves hardly anything but pauses. */
#define SPEEDUP_MOST 0.95
#define LOAD_MOST    20.0

/* A slope that is known so well needs no more experiments while others are not. */
#define PRECISE 0.03

enum { LOADS_MAX = 16 };

static const double TRIAL_SPEEDUPS[] = {0.15, 0.3, 0.45, 0.6, 0.75, 0.9};

/* --fixed UNIT=SPEEDUP */
static bool read_fixed(struct causal_profile *profile, struct err *err)
{
	const char *text = profile->options->causal.fixed;
	const char *equals = text ? strrchr(text, '=') : NULL;
	char *end;

	if (!text)
		return true;
	if (equals && equals > text) {
		profile->fixed = strtod(equals + 1, &end);
		if (!strcmp(end, "%"))
			profile->fixed /= 100;
		profile->speedups = &profile->fixed;
		profile->n_speedups = 1;
		if (end > equals + 1 && (!*end || !strcmp(end, "%")) && profile->fixed >= 0 &&
		    profile->fixed <= SPEEDUP_MOST) {
			profile->scope.only =
				arena_printf(profile->arena, "%.*s", (int)(equals - text), text);
			return true;
		}
	}
	return err_set(err, ERR_USAGE,
		       "--fixed is a function or FILE:LINE, = and how much faster it is to be, up "
		       "to 95%%, as in parse=50%%");
}

/* One of --load, or that of --at-load. */
static bool read_times(const char *text, char stop, double *ret, const char **ret_end,
		       struct err *err)
{
	char *end;

	*ret = strtod(text, &end);
	if (end > text && *end == 'x')
		end++;
	*ret_end = end;
	return (end > text && (!*end || *end == stop) && *ret > 1 && *ret <= LOAD_MOST) ||
	       err_set(err, ERR_USAGE,
		       "'%s' is no load: how many times as much work is to come, above 1 and up to "
		       "%.0f, as 2,4,8, or by how much earlier each is to come, as 500us",
		       text, LOAD_MOST);
}

/* One of --load that is a time, by which arrivals come earlier; false: it is none. */
static bool read_earlier(struct arena *arena, const char **text, double *ret_ns)
{
	const char *end = strchrnul(*text, ',');
	const char *one = arena_printf(arena, "%.*s", (int)(end - *text), *text);
	double us;

	if (!unit_parse(one, UNIT_TIME, NAN, &us) || !(us > 0))
		return false;
	*ret_ns = 1000 * us;
	*text = end;
	return true;
}

/* As arrivals that come earlier by a share of the time between two: k times is 1 - 1/k. */
static bool read_loads(struct causal_profile *profile, struct err *err)
{
	const struct causal_options *options = &profile->options->causal;
	const char *text = options->load;
	double times;

	if (!text)
		return true;
	profile->speedups = arena_array(profile->arena, double, LOADS_MAX);
	profile->earlier_ns = arena_array(profile->arena, double, LOADS_MAX);
	for (; *text && profile->n_speedups < LOADS_MAX; text += *text == ',') {
		const size_t i = profile->n_speedups++;

		if (read_earlier(profile->arena, &text, &profile->earlier_ns[i]))
			continue;
		if (!read_times(text, ',', &times, &text, err))
			return false;
		profile->speedups[i] = 1 - 1 / times;
	}
	return true;
}

static bool check_usage(const struct options *options, struct err *err)
{
	const struct causal_options *causal = &options->causal;
	const bool launches = options->program && options->program[0];
	const bool loaded = causal->load || causal->at_load;

	if (launches == (causal->attach != NULL))
		return err_set(err, ERR_USAGE,
			       "which program? fathom causal -p POINT -- PROG, or --attach PID");
	if (causal->end_to_end &&
	    (causal->n_progress || causal->latency || loaded || causal->arrival || causal->attach))
		return err_set(err, ERR_USAGE,
			       "--end-to-end takes the place of all points, and launches PROG");
	if (!causal->end_to_end && !causal->n_progress && !causal->latency)
		return err_set(err, ERR_USAGE,
			       "what is progress? -p POINT is a function that returns once for "
			       "each piece of work, a FILE:LINE or a variable; or --latency "
			       "BEGIN,END; or --end-to-end");
	if (causal->load && (causal->at_load || causal->fixed))
		return err_set(err, ERR_USAGE, "--load tries loads, and nothing else");
	if (loaded && !causal->arrival && !causal->latency)
		return err_set(err, ERR_USAGE, "where does work arrive? --arrival POINT");
	return !causal->arrival || loaded ||
	       err_set(err, ERR_USAGE, "--arrival goes with --load 2,4,8 or --at-load 2");
}

static bool find_process(struct causal_profile *profile, struct err *err)
{
	const char *text = profile->options->causal.attach;
	const char *path;

	if (!host_parse_pid(text, &profile->attached, err) ||
	    !ptrace_access_check(profile->attached, err))
		return false;
	path = host_process_program(profile->arena, text);
	if (!path)
		return ptrace_access_explain(profile->attached, errno, err);
	profile->path = process_files_program(profile->arena, profile->attached, path);
	return true;
}

static bool find_program(struct causal_profile *profile, struct err *err)
{
	const char *name = profile->options->program[0];
	const char *interpreter;

	profile->path = host_find_program(profile->arena, name);
	if (!profile->path)
		return err_set(err, ERR_IO, "there is no program %s in PATH: give its path", name);
	interpreter = host_interpreter(profile->arena, profile->path);
	if (interpreter)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s is a script: give the program that it runs (for the "
			       "interpreter itself: %s %s)",
			       name, interpreter, profile->path);
	return leak_check(profile->path, err);
}

/* Where work arrives, if that matters. */
static const char *arrival_of(const struct causal_profile *profile)
{
	const struct causal_options *options = &profile->options->causal;
	const char *comma = options->latency ? strchr(options->latency, ',') : NULL;

	if (options->arrival || !(options->load || options->at_load))
		return options->arrival;
	return comma ? arena_printf(profile->arena, "%.*s", (int)(comma - options->latency),
				    options->latency)
		     : NULL;
}

static bool read_load(struct causal_profile *profile, struct err *err)
{
	struct experiments *experiments = profile->experiments;
	const struct causal_options *options = &profile->options->causal;
	const char *end;
	size_t i;

	profile->load_unit = CAUSAL_NO_UNIT;
	if (options->at_load)
		return read_times(options->at_load, '\0', &experiments->load, &end, err);
	if (!options->load)
		return true;
	for (i = 0; i < experiments->n_units; i++)
		if (experiments->units[i].is_load)
			profile->load_unit = (int)i;
	if (profile->load_unit != CAUSAL_NO_UNIT)
		return true;
	profile->load_unit = (int)experiment_table_add_unit(
		experiments,
		arena_printf(profile->arena, "arrivals at %s",
			     profile->points.names[profile->points.arrival].name),
		NULL, 0);
	experiments->units[profile->load_unit].is_load = true;
	return true;
}

/* The progress points, and what there may be of units. */
static bool profile_read_program(struct causal_profile *profile, struct err *err)
{
	static const struct causal_progress whole = {.name = "the whole run"};
	const struct options *options = profile->options;
	const struct causal_points_request request = {.path = profile->path,
						      .debuginfo_path = options->debuginfo_path,
						      .progress = options->causal.progress,
						      .n_progress = options->causal.n_progress,
						      .latency = options->causal.latency,
						      .arrival = arrival_of(profile),
						      .pads = options->probes == PROBES_AUTO ||
							      options->probes == PROBES_PADS};
	const struct catalogue_request units = {.debuginfo_path = options->debuginfo_path};

	if (!causal_points_find(&request, profile->arena, &profile->points, err))
		return false;
	if (!causal_keep_load(profile, &profile->experiments, err))
		return false;
	if (!profile->experiments)
		profile->experiments =
			options->causal.end_to_end
				? experiment_table_create(&whole, 1)
				: experiment_table_create(profile->points.names, profile->points.n);
	profile->experiments->whole = options->causal.end_to_end;
	profile->experiments->arrival = profile->points.arrival;
	profile->units = causal_units_create(&units, &profile->scope, profile->experiments);
	return read_load(profile, err);
}

bool causal_profile_open(struct causal_profile *profile, struct err *err)
{
	const struct causal_options *options = &profile->options->causal;

	profile->scope = (struct causal_scope){.patterns = options->scopes,
					       .n_patterns = options->n_scopes,
					       .lines = options->lines,
					       .callers = options->callers,
					       .hosts = options->hosts};
	return check_usage(profile->options, err) && read_fixed(profile, err) &&
	       read_loads(profile, err) &&
	       (options->attach ? find_process : find_program)(profile, err) &&
	       profile_read_program(profile, err);
}

static int profile_unit_of(void *self, const struct causal_sample *sample)
{
	struct causal_profile *profile = self;

	return causal_units_of(profile->units, sample);
}

/* Which units are known well, as of now. */
static void profile_judge(struct causal_profile *profile)
{
	const struct causal_model_options options = {.progress = 0, .seed = 1};
	struct causal_gains *gains = causal_model_build(profile->experiments, &options);
	size_t i;

	profile->n_judged = profile->experiments->n;
	profile->precise = mem_grow(profile->precise, &profile->n_precise,
				    profile->experiments->n_units, sizeof(*profile->precise));
	for (i = 0; i < gains->n; i++)
		profile->precise[gains->list[i].unit] =
			gains->list[i].high - gains->list[i].low < 2 * PRECISE;
	causal_gains_destroy(gains);
}

/* Precision decides what is tried next: what is known well has to wait for the others. */
static bool profile_is_wanted(void *self, unsigned unit)
{
	struct causal_profile *profile = self;
	const struct experiments *experiments = profile->experiments;
	double samples = 0;
	size_t i;

	if (profile->scope.only)
		return causal_units_is_wanted(profile->units, unit);
	if (experiments->n > profile->n_judged)
		profile_judge(profile);
	if (unit >= profile->n_precise || !profile->precise[unit])
		return true;
	for (i = 0; i < experiments->n_units; i++)
		samples += experiments->units[i].samples;
	for (i = 0; i < experiments->n_units; i++)
		if ((i >= profile->n_precise || !profile->precise[i]) &&
		    experiments->units[i].samples > samples / 20)
			return false;
	return true;
}

static bool read_counter(void *self, pid_t process, unsigned counter, double *ret)
{
	const struct causal_profile *profile = self;
	uint64_t bias = 0;

	return session_load_bias(profile->session, process, &bias) &&
	       causal_points_read(&profile->points, counter, process, bias, ret);
}

static bool is_over(void *self)
{
	(void)self;
	return interrupt_count() > 0;
}

static void say(void *self, const char *note)
{
	const struct causal_profile *profile = self;

	if (!profile->options->quiet)
		message_note("%s", note);
}

static bool begin(struct causal_profile *profile, struct err *err)
{
	const struct session_options options = {.probes = profile->options->probes,
						.follow_fork = profile->options->follow_fork,
						.apart = true,
						.guard = profile->guard};

	if (profile->attached)
		tracer_limits_hurry_on(profile->attached, profile->options->quiet);
	if (profile->attached)
		return session_attach(profile->points.catalogue, profile->attached, &options,
				      &profile->session, err);
	if (!session_launch(profile->points.catalogue, profile->path, profile->options->program,
			    &options, &profile->session, err))
		return false;
	signal_forward_start(&profile->forwarder, session_process(profile->session));
	return true;
}

static bool run_once(struct causal_profile *profile, const struct causal_trial *trial,
		     struct err *err)
{
	const struct causal_request request = {.aims = profile->points.aims,
					       .addrs = profile->points.addrs,
					       .n_addrs = profile->points.n_addrs,
					       .begins = profile->points.begins,
					       .n_begins = profile->points.n_begins,
					       .speedups = profile->speedups,
					       .n_speedups = profile->n_speedups,
					       .earlier_ns = profile->earlier_ns,
					       .trial = trial,
					       .load_unit = profile->load_unit,
					       .seed = (uint64_t)time(NULL) << 20 ^
						       (uint64_t)getpid(),
					       .unit_of = profile_unit_of,
					       .is_wanted = profile_is_wanted,
					       .read_counter = read_counter,
					       .is_over = is_over,
					       .say = say,
					       .self = profile};

	return begin(profile, err) &&
	       causal_run(profile->session, &request, profile->experiments, &profile->outcome, err);
}

/* A unit by its share of the samples; CAUSAL_NO_UNIT: there are none. */
static int draw_unit(struct causal_profile *profile, struct random_state *random)
{
	const struct experiments *experiments = profile->experiments;
	double sum = 0, at;
	size_t i;

	for (i = 0; i < experiments->n_units; i++)
		if (causal_units_is_wanted(profile->units, (unsigned)i))
			sum += experiments->units[i].samples;
	at = sum * ((double)(random_next(random) >> 11) / 9007199254740992.0);
	for (i = 0; i < experiments->n_units && sum > 0; i++) {
		if (!causal_units_is_wanted(profile->units, (unsigned)i))
			continue;
		at -= experiments->units[i].samples;
		if (at < 0)
			return (int)i;
	}
	return CAUSAL_NO_UNIT;
}

static bool run_trial(struct causal_profile *profile, const struct causal_trial *trial,
		      struct err *err)
{
	bool ok;

	signal_forward_stop(&profile->forwarder);
	session_destroy(profile->session);
	profile->session = NULL;
	ok = run_once(profile, trial, err);
	return ok && profile->outcome.is_over;
}

/* Launches, in pairs: the first one only shows what runs. */
static bool run_whole(struct causal_profile *profile, struct err *err)
{
	const struct experiments *before = profile->experiments;
	struct causal_trial trial = {.unit = CAUSAL_NO_UNIT,
				     .pair = before->n ? before->list[before->n - 1].pair + 1 : 0};
	struct random_state random = {(uint64_t)time(NULL) << 20 ^ (uint64_t)getpid()};
	const double *speedups = profile->speedups ? profile->speedups : TRIAL_SPEEDUPS;
	const size_t n = profile->speedups ? profile->n_speedups
					   : sizeof(TRIAL_SPEEDUPS) / sizeof(TRIAL_SPEEDUPS[0]);
	unsigned i, with_first;

	err->code = ERR_NONE;
	if (!run_trial(profile, &trial, err))
		return err->code == ERR_NONE;
	while (!interrupt_count()) {
		trial.unit = draw_unit(profile, &random);
		if (trial.unit == CAUSAL_NO_UNIT)
			return true;
		with_first = random_next(&random) % 2;
		for (i = 0; i < 2; i++) {
			trial.speedup = i == with_first ? 0 : speedups[random_next(&random) % n];
			if (!run_trial(profile, &trial, err))
				return err->code == ERR_NONE;
		}
		trial.pair++;
	}
	return true;
}

bool causal_profile_run(struct causal_profile *profile, struct err *err)
{
	interrupt_start(profile->attached ? INTERRUPT_BY_ANY : INTERRUPT_BY_TERMINAL,
			profile->options->seconds);
	return profile->experiments->whole ? run_whole(profile, err) : run_once(profile, NULL, err);
}

void causal_profile_wait(struct causal_profile *profile)
{
	const unsigned seen = interrupt_count();
	struct session_event event = {.kind = SESSION_PAUSE};
	struct err ignored;

	if (profile->outcome.is_over || profile->attached || !profile->session)
		return;
	if (!profile->options->quiet)
		message_note("the program goes on; Ctrl-C: do not wait for it");
	while (event.kind != SESSION_ENDED && interrupt_count() == seen &&
	       session_next(profile->session, &event, &ignored))
		continue;
}

void causal_profile_close(struct causal_profile *profile)
{
	interrupt_stop();
	signal_forward_stop(&profile->forwarder);
	session_destroy(profile->session);
	causal_units_destroy(profile->units);
	experiment_table_destroy(profile->experiments);
	causal_points_deinit(&profile->points);
	free(profile->precise);
}
