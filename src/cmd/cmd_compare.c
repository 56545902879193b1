/*
 * fathom compare: are the functions of one program worse than those of another, beyond what runs of
 * one program differ by? Both are launched in turns, in random order; cmd_diff.c compares.
 *
 * Each run is a process of its own, which measures as `run` does and adds to the side's profile.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cmd.h"
#include "core/verdict/diff.h"
#include "record/run_apart.h"
#include "record/run_series.h"

/* Runs a side before the precision is looked at: fewer do not say how much they differ. */
enum { RUNS_LEAST = 5 };

struct side {
	const char *name;
	char **program;
	char *profile; /* path */
};

struct comparing {
	const struct options *options;
	struct arena *arena;
	struct side sides[2]; /* old, new */
	struct random_state random;
	size_t runs; /* of each side, so far */
};

static bool split_programs(struct comparing *comparing, struct err *err)
{
	char **words = comparing->options->program;
	size_t i;

	for (i = 0; words && words[i] && strcmp(words[i], "--") != 0; i++)
		continue;
	if (!words || i == 0 || !words[i] || !words[i + 1])
		return err_set(err, ERR_USAGE,
			       "which two programs? fathom compare -f NAME -- OLD [ARG...] -- NEW "
			       "[ARG...]");
	words[i] = NULL;
	comparing->sides[0] = (struct side){.name = "old", .program = words};
	comparing->sides[1] = (struct side){.name = "new", .program = &words[i + 1]};
	return true;
}

/* With -o the profiles are kept: they must be new, since each of their runs counts. */
static bool name_profile(struct comparing *comparing, struct side *side, const char *folder,
			 struct err *err)
{
	const char *output = comparing->options->output;

	side->profile = output ? arena_printf(comparing->arena, "%s.%s", output, side->name)
			       : arena_printf(comparing->arena, "%s/%s", folder, side->name);
	if (access(side->profile, F_OK) != 0)
		return true;
	return err_set(err, ERR_USAGE, "%s is there already: give -o another name", side->profile);
}

static bool run_side(struct comparing *comparing, const struct side *side, bool is_warm_up,
		     struct err *err)
{
	const struct run_place place = {run_apart_layout(&comparing->random, comparing->arena),
					NULL};
	struct options options = *comparing->options;

	options.arguments = side->program;
	options.output = is_warm_up ? NULL : side->profile;
	options.quiet = true;
	return run_apart(&options, &place, err);
}

/* The least exact verdict's interval. */
static double find_precision(const struct diff *diff)
{
	double widest = 0;
	size_t i;

	for (i = 0; i < diff->n_subjects; i++)
		widest = fmax(widest, diff_precision(&diff->subjects[i]));
	return widest;
}

static bool is_precise(struct comparing *comparing, bool *ret, struct err *err)
{
	struct diff *diff = diff_create();
	size_t worse;
	bool ok = cmd_diff_profiles(comparing->options, comparing->sides[0].profile,
				    comparing->sides[1].profile, diff, &worse, err);

	*ret = ok && find_precision(diff) <= comparing->options->precision;
	diff_destroy(diff);
	return ok;
}

static bool run_both(struct comparing *comparing, bool is_warm_up, struct err *err)
{
	const unsigned first = random_next(&comparing->random) % 2;
	unsigned i;

	for (i = 0; i < 2; i++) {
		const struct side *side = &comparing->sides[first ^ i];

		if (!comparing->options->quiet)
			message_progress("%s run %zu of at most %u: %s",
					 is_warm_up ? "warm-up, " : "", comparing->runs + 1,
					 comparing->options->runs, side->name);
		if (!run_side(comparing, side, is_warm_up, err))
			return false;
	}
	comparing->runs += !is_warm_up;
	return true;
}

/* Until the verdicts are exact enough, all runs were made, or an interrupt. */
static bool run_all(struct comparing *comparing, struct err *err)
{
	const struct options *options = comparing->options;
	bool ok = run_both(comparing, true, err);
	bool enough = false;

	while (ok && !enough && comparing->runs < options->runs && !interrupt_count()) {
		ok = run_both(comparing, false, err);
		if (ok && comparing->runs >= RUNS_LEAST && comparing->runs < options->runs)
			ok = is_precise(comparing, &enough, err);
	}
	/* It has ended a run, too. */
	if (interrupt_count())
		return comparing->runs ||
		       err_set(err, ERR_NOT_FOUND, "interrupted before both had run");
	return ok;
}

static bool say_failures(const struct comparing *comparing, const struct side *side,
			 struct err *err)
{
	const char *name =
		arena_printf(comparing->arena, "%s, the %s program,", side->program[0], side->name);

	return run_series_say_failures(side->profile, name, comparing->runs, err);
}

static void say_runs(const struct comparing *comparing)
{
	if (comparing->options->quiet)
		return;
	message_note("%zu runs of each, in random order, each with another layout (addresses, and "
		     "the stack's by the variable FATHOM_LAYOUT); one more of each, before, was "
		     "left out",
		     comparing->runs);
}

static bool compare_profiles(struct comparing *comparing, bool *ret_failed, struct err *err)
{
	const char *old = comparing->sides[0].profile;
	const char *new = comparing->sides[1].profile;

	interrupt_start(INTERRUPT_BY_ANY, 0);
	comparing->random.state = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	if (!run_all(comparing, err))
		return false;
	message_progress_end();
	interrupt_stop();
	say_runs(comparing);
	return say_failures(comparing, &comparing->sides[0], err) &&
	       say_failures(comparing, &comparing->sides[1], err) &&
	       cmd_diff_report(comparing->options, old, new, ret_failed, err);
}

static void remove_profiles(const struct comparing *comparing, const char *folder)
{
	size_t i;

	for (i = 0; i < 2 && !comparing->options->output; i++)
		if (comparing->sides[i].profile)
			unlink(comparing->sides[i].profile);
	rmdir(folder);
}

static bool compare(struct comparing *comparing, bool *ret_failed, struct err *err)
{
	const char *place = getenv("TMPDIR");
	char *folder = arena_printf(comparing->arena, "%s/fathom-compare-XXXXXX",
				    place && *place ? place : "/tmp");
	bool ok;

	if (!split_programs(comparing, err))
		return false;
	if (comparing->options->n_functions == 0)
		return err_set(err, ERR_USAGE,
			       "which function? give -f NAME; fathom list %s shows the names",
			       comparing->sides[0].program[0]);
	if (!comparing->options->runs)
		return err_set(err, ERR_USAGE, "--runs is at least 1");
	if (!mkdtemp(folder))
		return err_set_errno(err, ERR_IO, errno, "%s cannot be made", folder);
	ok = name_profile(comparing, &comparing->sides[0], folder, err) &&
	     name_profile(comparing, &comparing->sides[1], folder, err) &&
	     compare_profiles(comparing, ret_failed, err);
	message_progress_end();
	interrupt_stop();
	remove_profiles(comparing, folder);
	return ok;
}

static int cmd_compare_run(const struct options *options)
{
	struct comparing comparing = {.options = options, .arena = arena_create()};
	struct err err;
	bool failed = false;
	bool ok = compare(&comparing, &failed, &err);

	arena_destroy(comparing.arena);
	if (ok)
		return failed ? EXIT_VIOLATED : EXIT_DONE;
	if (*err.text)
		message_error("%s", err.text);
	return err.code == ERR_TARGET ? EXIT_TARGET : EXIT_UNUSABLE;
}

const struct command command_compare = {
	.usage = {.name = "compare",
		  .bit = COMMAND_COMPARE,
		  .arguments = "-- OLD [ARG...] -- NEW [ARG...]",
		  .summary = "Launch two programs by turns: which of their functions differ?",
		  .details =
			  "Both run up to --runs times, in random order and each time with another "
			  "layout, until costs are known as exactly as --precision says; the "
			  "first run of each is left out. Their output is not shown. A function is "
			  "worse or better if its calls cost something else, as in diff, beyond "
			  "what runs of one program differ by. Exit status 0: nothing got worse, "
			  "or it is inconclusive; 1: something did; 2: nothing could be compared; "
			  "3: a program could not be launched.",
		  .min_arguments = 0,
		  .max_arguments = 0,
		  .launches = true},
	.run = cmd_compare_run,
};
