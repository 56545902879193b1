/*
 * fathom sweep: launch a program with one number of its command line varied, until the costs of
 * its functions are known precisely. advise/precision.c says how precisely that is.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/precision.h"
#include "base/mem.h"
#include "base/unit.h"
#include "base/numbers.h"
#include "cli/interrupt.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cmd.h"
#include "core/samples/derived_columns.h"
#include "model/metric_models.h"
#include "model/study_build.h"
#include "record/run_series.h"
#include "results/annotate.h"
#include "results/selected_functions.h"

enum { FIRST = 5 /* values, evenly spread by their logarithms */, NAME = 80 };

struct sweep {
	struct options options;
	struct arena *arena;
	struct run_series series;
	char **program; /* with the word @word to be replaced */
	size_t word;
	const char *before, *behind; /* the braces, in that word */
	double low, high;
	bool is_whole;
	double *tried; /* ascending */
	size_t n;
	/* The function whose typical call's cost is known least well. */
	double worst;
	char least[NAME];
};

/* "{10..1e6}" in @word. False: there is none; ERR_USAGE in @err if it is wrong. */
static bool sweep_read_range(struct sweep *sweep, const char *word, struct err *err)
{
	const char *open = strchr(word, '{');
	const char *dots = open ? strstr(open, "..") : NULL;
	const char *close = dots ? strchr(dots, '}') : NULL;
	const char *low;
	char *end, *end_low;

	if (!close)
		return false;
	low = arena_printf(sweep->arena, "%.*s", (int)(dots - open - 1), open + 1);
	sweep->low = unit_number(low, &end_low);
	sweep->high = unit_number(dots + 2, &end);
	if (!*low || *end_low || end != close || !(sweep->low > 0) || !(sweep->high > sweep->low) ||
	    !isfinite(sweep->high))
		return err_set(err, ERR_USAGE,
			       "%.100s is no range of numbers above 0, the smaller first, as "
			       "{10..1e6}",
			       word);
	sweep->is_whole = sweep->low == rint(sweep->low) && sweep->high == rint(sweep->high);
	sweep->before = arena_printf(sweep->arena, "%.*s", (int)(open - word), word);
	sweep->behind = close + 1;
	return true;
}

static bool sweep_find_range(struct sweep *sweep, struct err *err)
{
	char **words = sweep->options.program;
	size_t n = 0;

	*err->text = '\0';
	while (words[n])
		n++;
	sweep->program = arena_copy(sweep->arena, words, (n + 1) * sizeof(*words));
	for (sweep->word = 1; sweep->word < n; sweep->word++) {
		if (sweep_read_range(sweep, words[sweep->word], err))
			return true;
		if (*err->text)
			return false;
	}
	return err_set(err, ERR_USAGE,
		       "what is varied? a word of the program's arguments has a range, as in "
		       "fathom sweep -f NAME -- %s '{10..1e6}'",
		       words[0]);
}

/* The next value: evenly spread ones first, then the middle of the largest gap. */
static double sweep_next(const struct sweep *sweep)
{
	double value = sweep->high, widest = 1;

	if (sweep->n < FIRST)
		value = sweep->low * pow(sweep->high / sweep->low, (double)sweep->n / (FIRST - 1));
	for (size_t i = 1; sweep->n >= FIRST && i < sweep->n; i++)
		if (sweep->tried[i] / sweep->tried[i - 1] > widest) {
			widest = sweep->tried[i] / sweep->tried[i - 1];
			value = sqrt(sweep->tried[i]) * sqrt(sweep->tried[i - 1]);
		}
	return sweep->is_whole ? rint(value) : value;
}

static bool sweep_run(struct sweep *sweep, struct err *err)
{
	const double value = sweep_next(sweep);
	struct options measuring = sweep->options;

	sweep->program[sweep->word] = arena_printf(sweep->arena, "%s%.*g%s", sweep->before,
						   sweep->is_whole ? 17 : 6, value, sweep->behind);
	measuring.runs = 1;
	sweep->tried[sweep->n++] = value;
	numbers_sort(sweep->tried, sweep->n);
	if (!sweep->options.quiet)
		message_note("run %zu: %s", sweep->n, sweep->program[sweep->word]);
	measuring.quiet = true;
	return run_series_measure(&sweep->series, &measuring, sweep->program, err);
}

static bool sweep_judge_function(void *self, const char *key, struct samples *samples,
				 struct err *err)
{
	struct sweep *sweep = self;
	const struct model_options options = selected_functions_options(&sweep->options);
	struct annotation *annotations[METRIC_COUNT];
	size_t n;

	(void)err;
	(void)key;
	derived_columns_add(samples);
	n = metric_models_build(samples, sweep->options.metrics, &options, annotations);
	for (size_t i = 0; i < n; i++) {
		struct study *study =
			study_build(samples, annotations[i]->metric, &options, annotations[i]);
		struct precision precision;
		double known = INFINITY; /* of too few calls nothing is */

		if (precision_find(study, &precision))
			known = precision.relative;
		if (!(known <= sweep->worst)) {
			sweep->worst = known;
			snprintf(sweep->least, sizeof(sweep->least), "%.60s.%s", samples->function,
				 metric_info(study->metric)->keyword);
		}
		study_destroy(study);
	}
	samples_destroy(samples);
	return true;
}

/* How precisely are costs known by now? */
static bool sweep_judge(struct sweep *sweep, struct err *err)
{
	struct chosen chosen = {.options = &sweep->options};
	struct options quiet = sweep->options;
	bool ok;

	quiet.quiet = true;
	chosen.options = &quiet;
	sweep->worst = 0;
	if (!profile_open(sweep->series.profile, &chosen.profile, err))
		return false;
	ok = selected_functions_visit(&chosen, sweep_judge_function, sweep, err);
	profile_close(chosen.profile);
	return ok;
}

static bool sweep_print(const struct sweep *sweep, struct err *err)
{
	struct profile *profile;
	struct output output;
	bool ok;

	if (!profile_open(sweep->series.profile, &profile, err))
		return false;
	ok = output_open(sweep->options.report, NULL, 0, &output, err);
	if (ok) {
		ok = annotate_profile(profile, &sweep->options, NULL, &output, err);
		ok = output_close(&output, err) && ok;
	}
	profile_close(profile);
	return ok;
}

static bool sweep_until_precise(struct sweep *sweep, struct err *err)
{
	const struct options *options = &sweep->options;
	bool ok = true, is_precise = false;

	sweep->tried = arena_array(sweep->arena, double, options->runs);
	while (ok && !is_precise && sweep->n < options->runs) {
		ok = sweep_run(sweep, err);
		if (ok && sweep->n >= FIRST)
			ok = sweep_judge(sweep, err);
		is_precise = sweep->n >= FIRST && sweep->worst < options->precision;
	}
	if (!ok)
		return false;
	if (sweep->n < FIRST && !sweep_judge(sweep, err))
		return false;
	if (isinf(sweep->worst))
		message_note("too little is known of %s after %zu runs: --runs allows more",
			     sweep->least, sweep->n);
	else if (!options->quiet || !is_precise)
		message_note("after %zu runs what a typical call costs is known to ±%.2g %%, "
			     "least of %s%s",
			     sweep->n, 100 * sweep->worst, sweep->least,
			     is_precise ? "" : ": --runs allows more");
	return sweep_print(sweep, err);
}

static bool sweep_all(struct sweep *sweep, struct err *err)
{
	struct options *options = &sweep->options;
	bool ok;

	if (!options->program)
		return err_set(err, ERR_USAGE,
			       "which program? fathom sweep -f NAME -- PROG '{10..1e6}'");
	if (!sweep_find_range(sweep, err))
		return false;
	if (!options->n_functions)
		return err_set(err, ERR_USAGE,
			       "which function? give -f NAME; fathom list %s shows the names",
			       options->program[0]);
	if (!options->runs)
		return err_set(err, ERR_USAGE, "--runs is at least 1");
	if (!options->metrics)
		options->metrics = 1u << METRIC_TIME;
	ok = run_series_open(options, sweep->arena, &sweep->series, err) &&
	     sweep_until_precise(sweep, err);
	run_series_close(&sweep->series);
	return ok;
}

static int cmd_sweep_run(const struct options *options)
{
	struct sweep sweep = {.options = *options, .arena = arena_create()};
	struct err err;
	const bool ok = sweep_all(&sweep, &err);

	arena_destroy(sweep.arena);
	return message_status(ok, &err);
}

const struct command command_sweep = {
	.usage = {.name = "sweep",
		  .bit = COMMAND_SWEEP,
		  .arguments = "-- PROG {10..1e6} [ARG...]",
		  .summary = "Launch a program with one number varied, until costs are known",
		  .details = "{LOW..HIGH} in one word of its arguments is replaced by numbers "
			     "between: five, evenly spread by their logarithms, then middles of "
			     "gaps, until what a typical call costs is known to --precision for "
			     "every function of -f, or --runs are made. Their samples are in the "
			     "profile of -o, else gone, and the annotations are printed.",
		  .min_arguments = 0,
		  .max_arguments = 0,
		  .launches = true},
	.run = cmd_sweep_run,
};
