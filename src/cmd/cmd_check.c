/*
 * fathom check: do samples conform to earlier annotations? The tests are
 * in model/compare/check_samples.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "results/annotate.h"
#include "results/annotation_file.h"
#include "results/findings_report.h"
#include "results/kept_models.h"
#include "results/pins.h"
#include "results/where.h"
#include "base/arena.h"
#include "base/mem.h"
#include "judge/annotated_functions.h"
#include "judge/baseline.h"
#include "cmd.h"
#include "judge/check_gates.h"
#include "core/samples/derived_columns.h"
#include "core/verdict/check_parts.h"
#include "record/launcher.h"
#include "record/run_series.h"
#include "cli/message.h"
#include "model/compare/check_samples.h"
#include "model/compare/workload.h"
#include "cli/output.h"
#include "core/annotation/quote_head.h"
#include "profile/profile.h"
#include "report/json.h"

enum { UNFOUND_MAX = 5 };

struct checking {
	const struct options *options;
	struct annotation_list annotations;
	const char *path;   /* of these */
	const char *source; /* where the samples come from, for messages */
	struct check *check;
	bool *found; /* [annotations.n] its function has samples */
	size_t violated;
	struct check_gates gates;
	struct profile *profile; /* with the samples */
	int64_t run;             /* only those of that run; 0: all */
	struct pins_seen seen;
};

static struct check_options check_settings(const struct options *options)
{
	return (struct check_options){.alpha = options->alpha,
				      .tolerance = options->tolerance,
				      .strict = options->strict,
				      .run_spread = options->run_spread};
}

/* A model of the new samples, if gates or reports need one; NULL: none. */
static struct annotation *model_now(const struct checking *checking,
				    const struct annotation *annotation, const char *key,
				    struct samples *samples)
{
	const struct options *options = checking->options;
	struct model_options modelling = {.min_r2 = options->min_r2,
					  .correlation = options->correlation};
	struct annotation *now;

	if (!check_gates_need(&checking->gates) && !findings_report_wanted(options))
		return NULL;
	derived_columns_add(samples);
	pins_resolve(options, samples, options->arena, &modelling);
	return kept_models_build(checking->profile, key, samples, METRIC_BIT(annotation->metric),
				 &modelling, &now)
		       ? now
		       : NULL;
}

/* @samples are of the function @key. */
static void check_calls(struct checking *checking, size_t at, const char *key,
			struct samples *samples)
{
	const struct check_options options = check_settings(checking->options);
	const struct annotation *annotation = checking->annotations.list[at];
	struct check *check = checking->check;
	struct check_subject *subject;

	pins_see(&checking->seen, checking->options, samples);
	derived_columns_add_for(samples, annotation);
	check_samples_add(check, annotation, &checking->annotations, samples, &options);
	subject = &check->subjects[check->n_subjects - 1];
	subject->file = samples->file ? arena_strdup(check->arena, samples->file) : NULL;
	subject->line = samples->line;
	subject->where = samples->where ? arena_strdup(check->arena, samples->where) : NULL;
	workload_mean(samples, annotation->metric, &subject->mean);
	subject->now = model_now(checking, annotation, key, samples);
	if (subject->now)
		check_gates_add(&checking->gates, checking->options, annotation,
				&checking->annotations,
				&(struct check_gates_now){subject->now, samples});
}

/* Those calls that fulfil the annotation's condition, and --where, in a table of their own. */
static bool check_selected(struct checking *checking, size_t at, const char *key, struct err *err)
{
	const struct annotation *annotation = checking->annotations.list[at];
	struct samples *samples;
	bool ok;

	if (!annotated_functions_load(checking->profile, checking->run, key, &samples, err))
		return false;
	ok = where_select(samples, annotation->where, annotation, err) &&
	     where_select(samples, checking->options->where, annotation, err);
	if (ok)
		check_calls(checking, at, key, samples);
	samples_destroy(samples);
	if (ok || err->code != ERR_NOT_FOUND)
		return ok;
	if (!checking->options->quiet)
		message_note("not checked: %s", err->text);
	return true;
}

/* A `take`. */
static bool check_annotation(void *context, size_t at, const char *key, struct samples *samples,
			     struct err *err)
{
	struct checking *checking = context;

	if (checking->annotations.list[at]->where || checking->options->where)
		return check_selected(checking, at, key, err);
	check_calls(checking, at, key, samples);
	return true;
}

/* Check the samples in @profile; @run: only those of that run, 0: all. */
static bool check_all_functions(struct checking *checking, struct profile *profile, int64_t run,
				struct err *err)
{
	const struct check_options options = check_settings(checking->options);
	struct annotated_functions functions = {&checking->annotations, run, check_annotation,
						checking, NULL};
	bool ok;

	checking->profile = profile;
	checking->run = run;
	ok = annotated_functions_each(&functions, profile, err);
	checking->found = functions.found;
	if (!ok || !pins_check(&checking->seen, checking->options, err))
		return false;
	checking->violated = check_samples_decide(checking->check, &options);
	check_gates_end(&checking->gates);
	checking->check->gates = checking->gates.list;
	checking->check->n_gates = checking->gates.n;
	checking->check->gates_decide = checking->gates.decide;
	checking->check->is_of_itself = checking->path == checking->source;
	return true;
}

static void check_say_unfound(const struct checking *checking)
{
	size_t n = 0;

	for (size_t i = 0; i < checking->annotations.n && !checking->options->quiet; i++)
		if (!checking->found[i] && n++ < UNFOUND_MAX)
			message_note("%s was not checked: there are no samples of it",
				     quote_head(checking->options->arena,
						checking->annotations.list[i]->function,
						checking->annotations.list[i]->metric));
	if (n > UNFOUND_MAX)
		message_note("%zu more annotations were not checked: there are no samples either",
			     n - UNFOUND_MAX);
}

static bool print_reports(const struct checking *checking, const struct output *output,
			  bool *printed, struct err *err)
{
	struct findings *findings =
		findings_of_check(checking->check, checking->options->fail_inconclusive);
	const bool ok =
		findings_report_print(findings, checking->options, output->file, printed, err);

	*printed &= ok;
	findings_destroy(findings);
	return ok;
}

static bool check_print_result(const struct checking *checking, struct output *output,
			       struct err *err)
{
	const struct options *options = checking->options;
	bool printed = false;

	output_begin(output);
	if (findings_report_wanted(options) &&
	    (!print_reports(checking, output, &printed, err) || printed))
		return printed;
	if (options->json)
		return json_check(checking->check, output->file, err);
	for (size_t i = 0; !checking->check->is_of_itself && i < checking->check->n_subjects; i++) {
		check_print_subject(checking->check, &checking->check->subjects[i],
				    options->verbose, output->file);
		check_parts_print(checking->check, &checking->check->subjects[i], output->file);
	}
	for (size_t i = 0; i < checking->gates.n; i++)
		gate_print(&checking->gates.list[i], output->file);
	return true;
}

/* Print the results. ERR_NOT_FOUND: nothing could be tested. */
static bool check_finish(struct checking *checking, struct output *output, struct err *err)
{
	check_say_unfound(checking);
	if (!check_print_result(checking, output, err))
		return false;
	return checking->check->n_tests ||
	       err_set(err, ERR_NOT_FOUND, "nothing could be checked: %s has no samples for %s",
		       checking->source, checking->path);
}

static bool check_profile(struct checking *checking, struct profile *profile, struct err *err)
{
	const struct options *options = checking->options;
	const char *inputs[] = {checking->path, checking->source};
	struct output output;
	bool ok;

	if (!check_all_functions(checking, profile, 0, err) ||
	    !output_open(options->report, inputs, 2, &output, err))
		return false;
	ok = check_finish(checking, &output, err);
	return output_close(&output, err) && ok;
}

static bool check_stored(struct checking *checking, const char *path, struct err *err)
{
	struct profile *profile;
	bool ok;

	if (!profile_open(path, &profile, err))
		return false;
	ok = check_profile(checking, profile, err);
	profile_close(profile);
	return ok;
}

/* A `finish`. */
static bool check_measured(struct measurement *m, struct err *err)
{
	struct checking *checking = m->context;

	return check_all_functions(checking, m->profile, profile_run(m->profile), err) &&
	       check_finish(checking, &m->output, err);
}

static bool check_program(struct checking *checking, struct err *err)
{
	struct options measuring = *checking->options;
	struct measurement m = {.options = &measuring,
				.arena = arena_create(),
				.input = checking->path,
				.lenient = true,
				.finish = check_measured,
				.context = checking};
	bool ok;

	measuring.arguments = measuring.program;
	checking->source = measuring.program[0];
	ok = baseline_choose(&checking->annotations, &measuring, err) && launcher_measure(&m, err);
	measure_release(&m);
	return ok;
}

/* --runs: all of them, each a process of its own. */
static bool check_runs(struct checking *checking, struct err *err)
{
	struct options measuring = *checking->options;
	struct run_series series = {0};
	bool ok = baseline_choose(&checking->annotations, &measuring, err) &&
		  run_series_open(&measuring, measuring.arena, &series, err) &&
		  run_series_measure(&series, &measuring, measuring.program, err);

	checking->source = measuring.program[0];
	ok = ok && check_stored(checking, series.profile, err);
	run_series_close(&series);
	return ok;
}

/* Where the annotations are: the first argument, or the program's file of --baseline. */
static bool find_annotations(struct checking *checking, const char *profile, struct err *err)
{
	const struct options *options = checking->options;

	checking->path = options->arguments[0];
	if (!options->baseline)
		return true;
	return options->program ? baseline_find(options->baseline, options->program[0],
						options->arena, &checking->path, err)
				: baseline_find_for(options->baseline, profile, options->arena,
						    &checking->path, err);
}

/* Only what people assert of a profile: its own models are what budgets are about. */
static bool check_asserted(struct checking *checking, struct err *err)
{
	const char *path = checking->options->arguments[0];
	struct options annotating = *checking->options;
	struct profile *profile;
	struct output output;
	char *text = NULL;
	size_t length = 0;
	bool ok;

	if (!profile_open(path, &profile, err))
		return false;
	annotating.json = false;
	annotating.quiet = true;
	output = (struct output){open_memstream(&text, &length), NULL};
	ok = output.file ? annotate_profile(profile, &annotating, NULL, &output, err)
			 : err_set_errno(err, ERR_IO, errno, "cannot write annotations");
	ok = (!output.file || fclose(output.file) == 0) && ok &&
	     annotation_parse(text, length, &checking->annotations, err);
	profile_close(profile);
	free(text);
	checking->path = checking->source = path;
	if (!ok ||
	    !check_gates_open(&checking->gates, checking->options, &checking->annotations, err))
		return false;
	checking->gates.decide = true;
	return check_stored(checking, path, err);
}

static bool check_function(struct checking *checking, struct err *err)
{
	const struct options *options = checking->options;
	const int n = options->n_arguments - !options->baseline;
	const char *profile = n == 1 ? options->arguments[options->n_arguments - 1] : NULL;

	if (n == 0 && options->n_budgets && !options->n_gates && !options->baseline &&
	    !options->program)
		return check_asserted(checking, err);
	if (n < 0 || n > 1 || (n == 1) == (options->program != NULL))
		return err_set(err, ERR_USAGE,
			       "check samples of a PROFILE, or of a program behind --, by "
			       "ANNOTATIONS or --baseline: see fathom check --help");
	if (options->output && !options->program)
		return err_set(err, ERR_USAGE,
			       "-o keeps the samples of a run: those of a profile are in it");
	if (!options->runs)
		return err_set(err, ERR_USAGE, "--runs is at least 1");
	checking->source = profile;
	if (!where_check(options->where, err) || !find_annotations(checking, profile, err) ||
	    !annotation_file_read(checking->path, &checking->annotations, err) ||
	    !check_gates_open(&checking->gates, options, &checking->annotations, err))
		return false;
	return profile             ? check_stored(checking, profile, err)
	       : options->runs > 1 ? check_runs(checking, err)
				   : check_program(checking, err);
}

static bool has_open(const struct check *check)
{
	size_t n, violated;

	for (size_t i = 0; i < check->n_subjects; i++)
		if (check_verdict(check, &check->subjects[i], &n, &violated) == CHECK_INCONCLUSIVE)
			return true;
	return false;
}

/* With --gate, only gates and budgets decide. */
static bool check_failed(const struct checking *checking)
{
	const struct check_gates *gates = &checking->gates;
	const bool open = check_gates_count(gates, CHECK_INCONCLUSIVE) ||
			  (!gates->decide && has_open(checking->check));

	return check_gates_count(gates, CHECK_WORSE) || (!gates->decide && checking->violated) ||
	       (checking->options->fail_inconclusive && open);
}

static int cmd_check_run(const struct options *options)
{
	struct checking checking = {.options = options, .check = check_create()};
	struct err err;
	bool ok = check_function(&checking, &err);
	const bool failed = ok && check_failed(&checking);

	ok = ok && (failed || check_gates_all_judged(&checking.gates, &err));
	check_gates_close(&checking.gates);
	check_destroy(checking.check);
	annotation_parse_deinit(&checking.annotations);
	free(checking.found);
	if (ok)
		return failed ? EXIT_VIOLATED : EXIT_DONE;
	return message_status(false, &err);
}

const struct command command_check = {
	.usage = {.name = "check",
		  .bit = COMMAND_CHECK,
		  .arguments = "[ANNOTATIONS] PROFILE|-- PROG [ARG...]",
		  .summary = "Do samples conform to annotations that were made before?",
		  .details = "PROG is launched, and the functions and metrics of ANNOTATIONS are "
			     "measured: samples of that "
			     "run are checked, whatever else is in the profile of -o. Without "
			     "ANNOTATIONS only --budget is checked, of PROFILE. What one run "
			     "cannot tell from the differences between runs is inconclusive. Exit "
			     "status 0: they conform, are "
			     "better or inconclusive; 1: some are worse; 2: nothing could be "
			     "checked, or nothing by one of --gate and --budget; 3: PROG could "
			     "not be launched.",
		  .min_arguments = 0,
		  .max_arguments = 2,
		  .launches = true},
	.run = cmd_check_run,
	.confined = true,
};
