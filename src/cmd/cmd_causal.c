/*
 * fathom causal: what a program gains if one of its functions or lines gets faster. trace/causal
 * experiments with the running program, model/causal draws conclusions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inspect/causal_units.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/leak_check.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/signal_forward.h"
#include "cmd.h"
#include "dwarf/catalogue_build.h"
#include "model/causal/causal_model.h"
#include "report/json.h"
#include "trace/causal/causal_run.h"

/* More leaves hardly anything but pauses. */
#define SPEEDUP_MOST 0.95

struct profiling {
	const struct options *options;
	struct arena *arena;
	const char *path;
	struct causal_scope scope;
	double fixed_speedup; /* 0: many */
	struct catalogue *catalogue;
	struct causal_units *units;
	struct experiments *experiments;
	struct session *session;
	struct signal_forward forwarder;
	struct output output;
	struct causal_outcome outcome;
};

/* --fixed UNIT=SPEEDUP */
static bool read_fixed(struct profiling *profiling, struct err *err)
{
	const char *text = profiling->options->fixed;
	const char *equals = text ? strrchr(text, '=') : NULL;
	char *end;

	if (!text)
		return true;
	if (equals && equals > text) {
		profiling->fixed_speedup = strtod(equals + 1, &end);
		if (!strcmp(end, "%"))
			profiling->fixed_speedup /= 100;
		if (end > equals + 1 && (!*end || !strcmp(end, "%")) &&
		    profiling->fixed_speedup > 0 && profiling->fixed_speedup <= SPEEDUP_MOST) {
			profiling->scope.only =
				arena_printf(profiling->arena, "%.*s", (int)(equals - text), text);
			return true;
		}
	}
	return err_set(err, ERR_USAGE,
		       "--fixed is a function or FILE:LINE, = and how much faster it is to be, up "
		       "to 95%%, as in parse=50%%");
}

static bool find_program(struct profiling *profiling, struct err *err)
{
	const char *name = profiling->options->program[0];
	const char *interpreter;

	profiling->path = host_find_program(profiling->arena, name);
	if (!profiling->path)
		return err_set(err, ERR_IO, "there is no program %s in PATH: give its path", name);
	interpreter = host_interpreter(profiling->arena, profiling->path);
	if (interpreter)
		return err_set(err, ERR_UNSUPPORTED,
			       "%s is a script: give the program that it runs (for the "
			       "interpreter itself: %s %s)",
			       name, interpreter, profiling->path);
	return leak_check(profiling->path, err);
}

/* The progress point, and what there may be of units. */
static bool read_program(struct profiling *profiling, struct err *err)
{
	const struct options *options = profiling->options;
	const struct catalogue_request request = {.patterns = &options->progress,
						  .n_patterns = 1,
						  .debuginfo_path = options->debuginfo_path};
	const struct function *point;

	if (!catalogue_build(profiling->path, &request, &profiling->catalogue, err))
		return false;
	if (profiling->catalogue->n_functions != 1)
		return err_set(err, ERR_USAGE, "-p %s names %zu functions: name one",
			       options->progress, profiling->catalogue->n_functions);
	point = &profiling->catalogue->functions[0];
	if (point->unmeasurable)
		return err_set(err, ERR_UNSUPPORTED, "visits of %s cannot be counted: %s",
			       point->name, point->unmeasurable);
	profiling->experiments = experiment_table_create(point->name, false);
	return causal_units_open(profiling->path, &request, &profiling->scope,
				 profiling->experiments, &profiling->units, err);
}

static bool launch(struct profiling *profiling, struct err *err)
{
	const struct session_options options = {.probes = profiling->options->probes,
						.apart = true};

	if (!session_launch(profiling->catalogue, profiling->path, profiling->options->program,
			    &options, &profiling->session, err))
		return false;
	signal_forward_start(&profiling->forwarder, session_process(profiling->session));
	interrupt_start(INTERRUPT_BY_TERMINAL, profiling->options->seconds);
	return true;
}

static int unit_of(void *self, uint64_t addr)
{
	struct profiling *profiling = self;

	return causal_units_at(profiling->units, addr);
}

static bool is_wanted(void *self, unsigned unit)
{
	const struct profiling *profiling = self;

	return causal_units_is_wanted(profiling->units, unit);
}

static bool is_over(void *self)
{
	(void)self;
	return interrupt_count() > 0;
}

static void say(void *self, const char *note)
{
	const struct profiling *profiling = self;

	if (!profiling->options->quiet)
		message_note("%s", note);
}

static bool experiment(struct profiling *profiling, struct err *err)
{
	const struct causal_request request = {.fixed_speedup = profiling->fixed_speedup,
					       .seed = (uint64_t)time(NULL) << 20 ^
						       (uint64_t)getpid(),
					       .unit_of = unit_of,
					       .is_wanted = is_wanted,
					       .is_over = is_over,
					       .say = say,
					       .self = profiling};

	return launch(profiling, err) &&
	       causal_run(profiling->session, &request, profiling->experiments, &profiling->outcome,
			  err);
}

/* The flaw of most experiments. */
static enum experiment_flaw main_flaw(const struct causal_gains *gains)
{
	unsigned flaw, most = EXPERIMENT_FEW_VISITS;

	for (flaw = most; flaw < EXPERIMENT_FLAWS; flaw++)
		if (gains->flaws[flaw] > gains->flaws[most])
			most = flaw;
	return (enum experiment_flaw)most;
}

static const char *refuse_flaw(const struct profiling *profiling, const struct causal_gains *gains)
{
	const struct experiments *all = profiling->experiments;
	const struct experiment *last = &all->list[all->n - 1];

	switch (main_flaw(gains)) {
	case EXPERIMENT_FEW_VISITS:
		return arena_printf(profiling->arena,
				    "%s returned %.0f times in the last experiment, of %.1f s: "
				    "choose a point that is passed more often, or let the program "
				    "do more",
				    all->point, last->visits, last->elapsed_s);
	case EXPERIMENT_PROCESSORS:
		return "more of its threads ran at a time than it may have processors, so that a "
		       "pause of one makes others faster: give it fewer threads, or more "
		       "processors";
	case EXPERIMENT_PAUSES:
		return "experiments were hardly anything but pauses: try a lower speedup with "
		       "--fixed";
	case EXPERIMENT_UNBALANCED:
		return "threads could not be paused equally: is the machine busy with other "
		       "things?";
	case EXPERIMENT_USABLE:
	case EXPERIMENT_FLAWS:
		break;
	}
	return "no experiment has a usable partner";
}

/* NULL: there are gains. */
static const char *find_refusal(const struct profiling *profiling, const struct causal_gains *gains)
{
	const struct causal_outcome *outcome = &profiling->outcome;
	struct arena *arena = profiling->arena;

	if (gains->n)
		return NULL;
	if (!outcome->samples)
		return "the program was not seen to run: it ended too soon, or waited all the time";
	if (!outcome->in_units)
		return arena_printf(arena,
				    "none of %llu samples of the program's code was in the scope: "
				    "choose another --scope",
				    (unsigned long long)outcome->samples);
	if (profiling->scope.only && !profiling->experiments->n)
		return arena_printf(arena,
				    "%s was not seen to run in a hundredth of %llu samples: "
				    "without --fixed it is shown what does",
				    profiling->scope.only, (unsigned long long)outcome->in_units);
	if (profiling->experiments->n < 2)
		return arena_printf(arena,
				    "it ended before two experiments, in %.1f s: let the program "
				    "do more, or several times the same",
				    profiling->experiments->runtime_s);
	return refuse_flaw(profiling, gains);
}

static bool print(struct profiling *profiling, const struct causal_gains *gains,
		  const char *refusal, struct err *err)
{
	bool ok = true;

	output_begin(&profiling->output);
	if (profiling->options->json)
		ok = json_causal(gains, refusal, profiling->output.file, err);
	else if (!refusal)
		causal_gains_print(gains, profiling->output.file);
	ok = output_close(&profiling->output, err) && ok;
	return ok && (!refusal || err_set(err, ERR_NOT_FOUND, "no causal profile: %s", refusal));
}

static bool report(struct profiling *profiling, struct err *err)
{
	const struct causal_model_options options = {.tolerance = 0, .seed = 1};
	struct causal_gains *gains = causal_model_build(profiling->experiments, &options);
	const bool ok = print(profiling, gains, find_refusal(profiling, gains), err);

	causal_gains_destroy(gains);
	return ok;
}

/* What was let go lives on: until its end, or the next interrupt. */
static void wait_for_end(struct profiling *profiling)
{
	const unsigned seen = interrupt_count();
	struct session_event event = {.kind = SESSION_PAUSE};
	struct err ignored;

	if (profiling->outcome.is_over)
		return;
	if (!profiling->options->quiet)
		message_note("the program goes on; Ctrl-C: do not wait for it");
	while (event.kind != SESSION_ENDED && interrupt_count() == seen &&
	       session_next(profiling->session, &event, &ignored))
		continue;
}

static bool profile(struct profiling *profiling, struct err *err)
{
	const char *inputs[1];
	bool ok;

	if (!profiling->options->program || !profiling->options->program[0])
		return err_set(err, ERR_USAGE, "which program? fathom causal -p FUNCTION -- PROG");
	if (!profiling->options->progress)
		return err_set(err, ERR_USAGE,
			       "which function is progress? -p FUNCTION is one that returns once "
			       "for each piece of work");
	if (!read_fixed(profiling, err) || !find_program(profiling, err) ||
	    !read_program(profiling, err))
		return false;
	inputs[0] = profiling->path;
	if (!output_open(profiling->options->report, inputs, 1, &profiling->output, err))
		return false;
	ok = experiment(profiling, err) && report(profiling, err);
	if (profiling->session)
		wait_for_end(profiling);
	interrupt_stop();
	return ok;
}

static void release(struct profiling *profiling)
{
	signal_forward_stop(&profiling->forwarder);
	session_destroy(profiling->session);
	causal_units_close(profiling->units);
	experiment_table_destroy(profiling->experiments);
	catalogue_destroy(profiling->catalogue);
	arena_destroy(profiling->arena);
}

static int cmd_causal_run(const struct options *options)
{
	struct profiling profiling = {
		.options = options,
		.arena = arena_create(),
		.scope = {.pattern = options->scope, .lines = options->lines}};
	struct err err;
	const bool ok = profile(&profiling, &err);

	release(&profiling);
	if (ok)
		return EXIT_DONE;
	message_error("%s", err.text);
	return err.code == ERR_TARGET ? EXIT_TARGET : EXIT_UNUSABLE;
}

const struct command command_causal = {
	.usage =
		{.name = "causal",
		 .bit = COMMAND_CAUSAL,
		 .arguments = "-p FUNCTION -- PROG [ARG...]",
		 .summary = "What does a program gain if one of its functions gets faster?",
		 .details =
			 "PROG is launched. Again and again, for a while, one of its functions is "
			 "made as if it were faster: whenever a thread is seen in it, all other "
			 "threads pause, and the pauses are taken off the time. What counts is how "
			 "often FUNCTION, the progress point, returns meanwhile, beside a time "
			 "without pauses right before or after. A slope of 0.6 means: for each 1 % "
			 "by which that function gets faster, the program gets faster by 0.6 %. "
			 "What comes from outside (disks, peers, clocks) is not slowed down, so "
			 "effects on programs that wait for that are overstated. There have to be "
			 "more processors than threads that run. Exit status 2: there is no "
			 "profile, and why.",
		 .min_arguments = 0,
		 .max_arguments = 0,
		 .launches = true},
	.run = cmd_causal_run,
};
