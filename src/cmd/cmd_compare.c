/*
 * fathom compare: are the functions of one program worse than those of another, beyond what runs of
 * one program differ by? All are launched in turns, in random order; cmd_diff.c compares.
 *
 * Each run is a process of its own, which measures as `run` does and adds to the side's profile. A
 * side is a program, or several builds of one that take turns.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/host.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cmd.h"
#include "core/verdict/diff.h"
#include "record/run_apart.h"
#include "record/run_series.h"
#include "results/atomic_file.h"
#include "select/selection.h"
#include "select/self_time.h"

/*
 * Runs a side before the precision is looked at: fewer do not say how much they differ. Samples
 * that say something of self times.
 */
enum { RUNS_LEAST = 5, SAMPLES_LEAST = 100 };

struct side {
	const char *name;
	char ***programs; /* [n_programs] command lines: builds */
	size_t n_programs;
	char *profile;              /* path */
	struct run_layout *layouts; /* [runs of all its programs], each */
};

struct comparing {
	const struct options *options;
	struct arena *arena;
	struct side *sides; /* [n_sides]: old, new, perhaps more */
	size_t n_sides;
	struct random_state random;
	size_t runs; /* of each side, so far */
};

static void compared_side_add(struct comparing *comparing, char **program)
{
	struct side *side = &comparing->sides[comparing->n_sides++];
	const size_t number = comparing->n_sides;

	*side = (struct side){.programs = arena_array(comparing->arena, char **,
						      comparing->options->n_builds + 1)};
	side->name = number == 1   ? "old"
		     : number == 2 ? "new"
				   : arena_printf(comparing->arena, "new%zu", number - 1);
	if (program)
		side->programs[side->n_programs++] = program;
}

/* Programs with a "--" between them; the words are cut there. */
static bool split_programs(struct comparing *comparing, struct err *err)
{
	char **words = comparing->options->program;
	char **first = words;
	bool is_last = !words;

	for (; !is_last; words++) {
		is_last = !*words;
		if (!is_last && strcmp(*words, "--") != 0)
			continue;
		if (words == first)
			break;
		*words = NULL;
		compared_side_add(comparing, first);
		first = words + 1;
	}
	return (is_last && comparing->n_sides > 1) ||
	       err_set(err, ERR_USAGE,
		       "which two programs? fathom compare -f NAME -- OLD [ARG...] -- NEW "
		       "[ARG...], or --old OLD --new NEW -- [ARG...]");
}

/* Builds of --old and --new, which all get the arguments behind "--". */
static bool take_builds(struct comparing *comparing, struct err *err)
{
	const struct options *options = comparing->options;
	char **arguments = options->program;
	size_t n = 0, i, j;

	while (arguments && arguments[n])
		n++;
	compared_side_add(comparing, NULL);
	compared_side_add(comparing, NULL);
	for (i = 0; i < options->n_builds; i++) {
		struct side *side = &comparing->sides[options->builds[i].is_new];
		char **program = arena_array(comparing->arena, char *, n + 2);

		program[0] = options->builds[i].path;
		for (j = 0; j < n; j++)
			program[1 + j] = arguments[j];
		side->programs[side->n_programs++] = program;
	}
	return (comparing->sides[0].n_programs && comparing->sides[1].n_programs) ||
	       err_set(err, ERR_USAGE, "--old and --new go together: give at least one of each");
}

/*
 * With -o the profiles are kept: they must be new, since each of their runs counts. What cannot be
 * written is told before anything runs.
 */
static bool name_profile(struct comparing *comparing, struct side *side, const char *folder,
			 struct err *err)
{
	const char *output = comparing->options->output;

	side->profile = output ? arena_printf(comparing->arena, "%s.%s", output, side->name)
			       : arena_printf(comparing->arena, "%s/%s", folder, side->name);
	if (access(side->profile, F_OK) == 0)
		return err_set(err, ERR_USAGE, "%s is there already: give -o another name",
			       side->profile);
	return atomic_file_possible(side->profile, err);
}

static bool run_build(struct comparing *comparing, const struct side *side, size_t build,
		      bool is_warm_up, struct err *err)
{
	const struct run_place place = {side->layouts[comparing->runs * side->n_programs + build],
					NULL};
	struct options options = *comparing->options;

	options.arguments = side->programs[build];
	options.output = is_warm_up ? NULL : side->profile;
	options.many_builds = side->n_programs > 1;
	options.quiet = true;
	return run_apart(&options, &place, err);
}

/* One run of each build. */
static bool run_side(struct comparing *comparing, const struct side *side, bool is_warm_up,
		     struct err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < side->n_programs; i++)
		ok = run_build(comparing, side, i, is_warm_up, err);
	return ok;
}

/* The least exact verdict's interval. */
static double find_precision(const struct diff *diff)
{
	double widest = 0;

	for (size_t i = 0; i < diff->n_subjects; i++)
		widest = fmax(widest, diff_precision(&diff->subjects[i]));
	return widest;
}

/* Each against the first. */
static const struct compared *compared_pairs(const struct comparing *comparing)
{
	struct compared *pairs =
		arena_array(comparing->arena, struct compared, comparing->n_sides + 1);

	for (size_t i = 1; i < comparing->n_sides; i++)
		pairs[i - 1] = (struct compared){
			comparing->sides[0].profile, comparing->sides[i].profile,
			comparing->n_sides > 2 ? comparing->sides[i].name : NULL, true};
	return pairs;
}

static bool is_precise(struct comparing *comparing, bool *ret, struct err *err)
{
	struct diff *diff = diff_create();
	size_t worse;
	bool ok = cmd_diff_profiles(comparing->options, compared_pairs(comparing),
				    comparing->n_sides - 1, diff, &worse, err);

	*ret = ok && find_precision(diff) < comparing->options->precision;
	diff_destroy(diff);
	return ok;
}

static bool run_sides(struct comparing *comparing, bool is_warm_up, struct err *err)
{
	size_t *order = arena_array(comparing->arena, size_t, comparing->n_sides);

	for (size_t i = 0; i < comparing->n_sides; i++) {
		const size_t other = random_next(&comparing->random) % (i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (size_t i = 0; i < comparing->n_sides && !interrupt_count(); i++) {
		const struct side *side = &comparing->sides[order[i]];

		if (!comparing->options->quiet)
			message_progress("%s run %zu of at most %u: %s",
					 is_warm_up ? "warm-up, " : "", comparing->runs + 1,
					 comparing->options->runs, side->name);
		if (!run_side(comparing, side, is_warm_up, err))
			return false;
	}
	comparing->runs += !is_warm_up && !interrupt_count();
	return true;
}

/* Until the verdicts are exact enough, all runs were made, or an interrupt. */
static bool run_all(struct comparing *comparing, struct err *err)
{
	const struct options *options = comparing->options;
	bool ok = run_sides(comparing, true, err);
	bool enough = false;

	while (ok && !enough && comparing->runs < options->runs && !interrupt_count()) {
		ok = run_sides(comparing, false, err);
		if (ok && comparing->runs >= RUNS_LEAST && comparing->runs < options->runs)
			ok = is_precise(comparing, &enough, err);
	}
	/* It has ended a run, too. */
	if (interrupt_count())
		return comparing->runs ||
		       err_set(err, ERR_NOT_FOUND, "interrupted before both had run");
	return ok;
}

static bool say_failures(const struct comparing *comparing, struct err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < comparing->n_sides; i++) {
		const struct side *side = &comparing->sides[i];
		const char *name = arena_printf(comparing->arena, "%s, the %s program,",
						side->programs[0][0], side->name);

		ok = run_series_say_failures(side->profile, name,
					     comparing->runs * side->n_programs, err);
	}
	return ok;
}

static const char *layout_words(const struct comparing *comparing)
{
	const char *words = "";
	enum layout_part part;

	for (part = 0; part < LAYOUT_PARTS; part++)
		if (comparing->options->layouts & 1u << part)
			words = arena_printf(comparing->arena, "%s%s%s", words, *words ? ", " : "",
					     strchr(feature_layout_name(part), '.') + 1);
	return *words ? arena_printf(comparing->arena, "each with another layout (%s)", words)
		      : "all with one layout, which is as good as one run if that matters";
}

static void say_runs(const struct comparing *comparing)
{
	if (!comparing->options->quiet)
		message_note("%zu runs of each, in random order, %s; one more of each, before, was "
			     "left out",
			     comparing->runs, layout_words(comparing));
}

static void draw_layouts(struct comparing *comparing, struct side *side)
{
	const size_t n = comparing->options->runs * side->n_programs;

	side->layouts = arena_array(comparing->arena, struct run_layout, n + 1);
	run_apart_layouts(&comparing->random, comparing->options->layouts, n, side->layouts);
}

static bool compare_profiles(struct comparing *comparing, bool *ret_failed, struct err *err)
{
	interrupt_start(INTERRUPT_BY_ANY, 0);
	comparing->random.state = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	for (size_t i = 0; i < comparing->n_sides; i++)
		draw_layouts(comparing, &comparing->sides[i]);
	if (!run_all(comparing, err))
		return false;
	message_progress_end();
	interrupt_stop();
	say_runs(comparing);
	return say_failures(comparing, err) &&
	       cmd_diff_report(comparing->options, compared_pairs(comparing),
			       comparing->n_sides - 1, ret_failed, err);
}

static void remove_profiles(const struct comparing *comparing, const char *folder)
{
	for (size_t i = 0; i < comparing->n_sides && !comparing->options->output; i++)
		if (comparing->sides[i].profile)
			unlink(comparing->sides[i].profile);
	rmdir(folder);
}

static bool find_sides(struct comparing *comparing, struct err *err)
{
	size_t n = 2;

	while (comparing->options->program && comparing->options->program[n - 2])
		n++;
	comparing->sides = arena_array(comparing->arena, struct side, n);
	return comparing->options->n_builds ? take_builds(comparing, err)
					    : split_programs(comparing, err);
}

/* What a side's first build is run as. */
static const char *side_path(const struct comparing *comparing, size_t side)
{
	const char *name = comparing->sides[side].programs[0][0];
	const char *path = host_find_program(comparing->arena, name);

	return path ? path : name;
}

static void functions_add(struct options *own, struct arena *arena, const char *const *patterns,
			  size_t n)
{
	const char **all = arena_array(arena, const char *, own->n_functions + n + 1);

	for (size_t i = 0; i < own->n_functions + n; i++)
		all[i] = i < own->n_functions ? own->functions[i] : patterns[i - own->n_functions];
	own->functions = all;
	own->n_functions += n;
}

/* Those of another self time in the whole program join, too. */
static bool take_rest(struct comparing *comparing, struct options *own, struct err *err)
{
	char *const *const programs[] = {comparing->sides[0].programs[0],
					 comparing->sides[1].programs[0]};
	struct diff *diff = diff_create();
	size_t samples, i;
	bool ok = self_time_differ(own, programs, diff, &samples, err);

	if (ok && samples < SAMPLES_LEAST)
		message_note("of the rest of the programs %zu samples of 1 ms say too little",
			     samples);
	else if (ok && !diff->n_results)
		message_note("no function of the programs has another self time, by %zu samples of "
			     "1 ms",
			     samples);
	for (i = 0; ok && i < diff->n_results; i++) {
		const char *pattern = arena_strdup(comparing->arena, diff->results[i].function);

		message_note("measured, too: %s",
			     method_text(&diff->results[i], METHOD_OUTLIERS, comparing->arena));
		functions_add(own, comparing->arena, &pattern, 1);
	}
	diff_destroy(diff);
	return ok;
}

/* Changed functions and their callers join those of -f. False without an error: there are none. */
static bool take_changed(struct comparing *comparing, struct options *own, struct err *err)
{
	const char **changed, *words;
	size_t n;

	err->code = ERR_NONE;
	if (!comparing->options->changed)
		return true;
	if (!selection_changed(comparing->options, side_path(comparing, 0), side_path(comparing, 1),
			       comparing->arena, &changed, &n, &words, err))
		return false;
	message_note("%s", words);
	*own = *comparing->options;
	functions_add(own, comparing->arena, changed, n);
	if (!take_rest(comparing, own, err))
		return false;
	comparing->options = own;
	return own->n_functions;
}

static bool compare(struct comparing *comparing, bool *ret_failed, struct err *err)
{
	struct options own;
	const char *place = getenv("TMPDIR");
	char *folder = arena_printf(comparing->arena, "%s/fathom-compare-XXXXXX",
				    place && *place ? place : "/tmp");
	bool ok = true;

	if (!find_sides(comparing, err))
		return false;
	if (!take_changed(comparing, &own, err))
		return err->code == ERR_NONE;
	if (comparing->options->n_functions == 0)
		return err_set(
			err, ERR_USAGE,
			"which function? give -f NAME, or --changed; fathom list %s shows the "
			"names",
			comparing->sides[0].programs[0][0]);
	if (!comparing->options->runs)
		return err_set(err, ERR_USAGE, "--runs is at least 1");
	if (!mkdtemp(folder))
		return err_set_errno(err, ERR_IO, errno, "%s cannot be made", folder);
	for (size_t i = 0; ok && i < comparing->n_sides; i++)
		ok = name_profile(comparing, &comparing->sides[i], folder, err);
	ok = ok && compare_profiles(comparing, ret_failed, err);
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
	return message_status(false, &err);
}

const struct command command_compare = {
	.usage = {.name = "compare",
		  .bit = COMMAND_COMPARE,
		  .arguments = "-- OLD [ARG...] -- NEW [ARG...] [-- NEW [ARG...]]...",
		  .summary = "Launch programs by turns: which of their functions differ?",
		  .details =
			  "All run up to --runs times, in random order and each time with another "
			  "layout, until costs are known as exactly as --precision says; the "
			  "first run of each is left out. Their output is not shown. Three and "
			  "more are each compared with the first, and all at once by analysis of "
			  "variance. With --old and --new a side may have several builds: then "
			  "these are what differs by chance, not their runs. A function is "
			  "worse or better if its calls cost something else, as in diff, beyond "
			  "what runs of one program differ by. Exit status 0: nothing got worse, "
			  "it is inconclusive, or --changed found no change; 1: something did; 2: "
			  "nothing could be compared; 3: a program could not be launched.",
		  .min_arguments = 0,
		  .max_arguments = 0,
		  .launches = true},
	.run = cmd_compare_run,
};
