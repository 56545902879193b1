/* fathom baseline: the annotations that CI checks by are made, or made anew. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "judge/baseline.h"
#include "cli/message.h"
#include "cmd.h"
#include "record/run_series.h"
#include "results/annotate.h"
#include "results/annotation_file.h"
#include "results/atomic_file.h"

struct baseline {
	struct options options;
	const char *folder, *path;
	struct annotation_list before; /* what is there already */
};

/* Functions and metrics are those of before, unless options name others. */
static bool choose_measured(struct baseline *baseline, struct err *err)
{
	struct options *options = &baseline->options;
	const struct options named = *options;

	if (baseline->before.n && !baseline_choose(&baseline->before, options, err))
		return false;
	if (named.n_functions) {
		options->functions = named.functions;
		options->n_functions = named.n_functions;
	}
	if (named.metrics)
		options->metrics = named.metrics;
	return true;
}

static bool has_function(const struct annotation_list *list, const char *function)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->list[i]->function, function))
			return true;
	return false;
}

/* A file of none of the functions is another program's, and stays; a lost function is told. */
static bool check_replaced(const struct baseline *baseline, const char *text, size_t length,
			   struct err *err)
{
	const struct annotation_list *before = &baseline->before;
	struct annotation_list now = {.n = 0};
	const char *lost = NULL;
	size_t n_lost = 0;
	bool ok = annotation_parse(text, length, &now, err);

	for (size_t i = 0; ok && i < before->n; i++) {
		if (has_function(&now, before->list[i]->function))
			continue;
		lost = before->list[i]->function;
		n_lost++;
	}
	if (ok && n_lost && n_lost == before->n)
		ok = err_set(err, ERR_USAGE,
			     "%s is of other functions (%s), another program's perhaps: name "
			     "another folder, or remove it first",
			     baseline->path, lost);
	else if (ok && lost)
		message_note("%s: %s is no longer in it", baseline->path, lost);
	annotation_parse_deinit(&now);
	return ok;
}

static bool print_annotations(const struct baseline *baseline, struct profile *profile, FILE *out,
			      struct err *err)
{
	char *text = NULL;
	size_t length = 0;
	struct output output = {open_memstream(&text, &length), NULL};
	bool ok;

	if (!output.file)
		return err_set_errno(err, ERR_IO, errno, "cannot write annotations");
	ok = annotate_profile(profile, &baseline->options, NULL, &output, err);
	ok = fclose(output.file) == 0 && ok && check_replaced(baseline, text, length, err);
	if (ok)
		fputs(text, out);
	free(text);
	return ok;
}

/* Budgets that people wrote stay. */
static bool baseline_write(const struct baseline *baseline, struct profile *profile,
			   struct err *err)
{
	struct atomic_file file;

	if (!atomic_file_begin(baseline->path, NULL, 0, &file, err))
		return false;
	if (!print_annotations(baseline, profile, file.file, err)) {
		atomic_file_drop(&file);
		return false;
	}
	for (size_t i = 0; i < baseline->before.n_budgets; i++)
		fprintf(file.file, "%sbudget %s;\n", i ? "" : "\n", baseline->before.budgets[i]);
	return atomic_file_finish(&file, err);
}

static bool update_from(struct baseline *baseline, const char *path, struct err *err)
{
	struct profile *profile;
	size_t runs;
	bool ok;

	if (!profile_open(path, &profile, err))
		return false;
	runs = profile_runs(profile);
	ok = baseline_write(baseline, profile, err);
	profile_close(profile);
	if (ok && !baseline->options.quiet)
		message_note("%s is of %zu run%s%s", baseline->path, runs, runs == 1 ? "" : "s",
			     runs > 4 ? "" : ": 5 or more say how much runs differ");
	return ok;
}

/* A file that is there must be one of annotations: it is replaced. */
static bool read_before(struct baseline *baseline, const char *program, struct err *err)
{
	struct stat status;

	baseline->path = baseline_path(baseline->folder, program, baseline->options.arena);
	if (mkdir(baseline->folder, 0777) != 0 && errno != EEXIST)
		return err_set_errno(err, ERR_IO, errno, "cannot make the folder %s",
				     baseline->folder);
	return stat(baseline->path, &status) != 0 ||
	       annotation_file_read(baseline->path, &baseline->before, err);
}

static bool update_by_running(struct baseline *baseline, struct err *err)
{
	struct options *options = &baseline->options;
	struct run_series series = {0};
	bool ok;

	if (!read_before(baseline, options->program[0], err) || !choose_measured(baseline, err))
		return false;
	if (!options->n_functions)
		return err_set(err, ERR_USAGE,
			       "which function? give -f NAME; fathom list %s shows the names",
			       options->program[0]);
	if (!options->metrics)
		options->metrics = METRICS_JUDGED;
	ok = run_series_open(options, options->arena, &series, err) &&
	     run_series_measure(&series, options, options->program, err) &&
	     update_from(baseline, series.profile, err);
	run_series_close(&series);
	return ok;
}

static bool baseline_update(struct baseline *baseline, struct err *err)
{
	const struct options *options = &baseline->options;
	const char *program;

	if (strcmp(options->arguments[0], "update") != 0)
		return err_set(err, ERR_USAGE,
			       "fathom baseline has only one action, update: fathom baseline "
			       "update DIR -- PROG; fathom check --baseline DIR checks by it");
	if ((options->n_arguments == 3) == (options->program != NULL))
		return err_set(err, ERR_USAGE,
			       "of which samples? give a PROFILE, or a program behind --: see "
			       "fathom baseline --help");
	if (!options->runs)
		return err_set(err, ERR_USAGE, "--runs is at least 1");
	if (options->output && !options->program)
		return err_set(err, ERR_USAGE,
			       "-o keeps the samples of runs: they are in %s already",
			       options->arguments[2]);
	baseline->folder = options->arguments[1];
	if (options->program)
		return update_by_running(baseline, err);
	return baseline_program(options->arguments[2], options->arena, &program, err) &&
	       read_before(baseline, program, err) && choose_measured(baseline, err) &&
	       update_from(baseline, options->arguments[2], err);
}

static int cmd_baseline_run(const struct options *options)
{
	struct baseline baseline = {.options = *options};
	struct err err;
	bool ok;

	ok = baseline_update(&baseline, &err);

	annotation_parse_deinit(&baseline.before);
	return message_status(ok, &err);
}

const struct command command_baseline = {
	.usage = {.name = "baseline",
		  .bit = COMMAND_BASELINE,
		  .arguments = "update DIR PROFILE|-- PROG [ARG...]",
		  .summary = "Make the annotations that check --baseline DIR compares with",
		  .details =
			  "They are of --runs runs of PROG, or of the samples in PROFILE, and go "
			  "to the file of DIR that is called after the program, as text to be "
			  "reviewed and kept with its source. A file that is there must share a "
			  "function with them. Functions and metrics are those of "
			  "-f and -m, else of the file that is there; its budgets stay.",
		  .min_arguments = 2,
		  .max_arguments = 3,
		  .launches = true},
	.run = cmd_baseline_run,
};
