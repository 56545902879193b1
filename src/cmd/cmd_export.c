/*
 * fathom export: write a profile as CSV or JSON (here), as plots or HTML (results/export_models.c).
 */
#include <stdlib.h>
#include <string.h>

#include "results/annotate.h"
#include "base/mem.h"
#include "results/selected_functions.h"
#include "cmd.h"
#include "export/export_models.h"
#include "export/export_spans.h"
#include "results/temp_cleanup.h"
#include "results/where.h"
#include "cli/message.h"
#include "cli/output.h"
#include "profile/csv/csv.h"
#include "results/atomic_file.h"

struct key_list {
	const char **keys; /* owned by the profile */
	size_t n, capacity;
};

static bool add_key(void *self, const char *key, struct samples *samples, struct err *err)
{
	struct key_list *list = self;

	(void)err;
	samples_destroy(samples);
	list->keys = mem_grow(list->keys, &list->capacity, list->n + 1, sizeof(*list->keys));
	list->keys[list->n++] = key;
	return true;
}

static bool export_csv(const struct options *options, struct profile *profile, FILE *out,
		       struct err *err)
{
	/* 1 cell: only the keys matter here; csv_export() reads the samples. Names need all. */
	const struct chosen chosen = {.profile = profile,
				      .options = options,
				      .max_cells = !(options->n_pinned + options->n_excluded),
				      .without_sites = true};
	struct key_list list = {NULL};
	bool ok = selected_functions_visit(&chosen, add_key, &list, err);

	if (ok && !list.n)
		ok = selected_functions_refuse(profile, options, "the profile", err);
	if (ok)
		ok = csv_export(profile,
				&(struct csv_selection){list.keys, list.n, where_filter,
							(void *)options->where,
							options->spreadsheet},
				out, err);
	free(list.keys);
	return ok;
}

static bool export_json(const struct options *options, struct profile *profile, FILE *out,
			struct err *err)
{
	struct output output = {out, NULL};

	return annotate_profile(profile, options, NULL, &output, err);
}

typedef bool (*exporter)(const struct options *options, struct profile *profile, FILE *out,
			 struct err *err);

/* The file @to appears complete or not at all. */
static bool export_file(const struct options *options, const char *path, struct profile *profile,
			const char *to, exporter write, struct err *err)
{
	const char *inputs[] = {path};
	struct atomic_file file;

	if (!atomic_file_begin(to, inputs, 1, &file, err))
		return false;
	if (write(options, profile, file.file, err))
		return atomic_file_finish(&file, err);
	atomic_file_drop(&file);
	return false;
}

/* What -o names. */
static exporter export_text(const struct options *options)
{
	return options->csv ? export_csv : options->otlp ? export_spans_otlp : export_json;
}

/* How many of the kinds that are a text in one file are wanted? */
static int count_texts(const struct options *options)
{
	return options->csv + options->json + options->otlp;
}

/* The profile; of `--html PROFILE -o FILE` it was taken for the place. */
static bool find_profile(struct options *options, const char **ret, struct err *err)
{
	const char **place = options->html ? &options->html : &options->plots;

	*ret = options->arguments[0];
	if (*ret)
		return true;
	if (!options->output || !*place || !**place)
		return err_set(err, ERR_USAGE,
			       "of which profile? fathom export [OPTION...] PROFILE");
	*ret = *place;
	*place = "";
	return true;
}

/* A kind of result without a place of its own goes to -o, which names one place. */
static bool place_results(struct options *options, struct err *err)
{
	const char **places[] = {&options->plots, &options->html};
	size_t n = count_texts(options) > 0;

	for (size_t i = 0; i < 2; i++) {
		if (!*places[i] || **places[i])
			continue;
		if (!options->output)
			return err_set(err, ERR_USAGE,
				       "where to? give -o, or --html FILE, --plots DIR");
		*places[i] = options->output;
		n++;
	}
	if (n > 1)
		return err_set(err, ERR_USAGE,
			       "-o is the place of one result: give the others theirs, as in "
			       "--html FILE");
	return n || !options->output ||
	       err_set(err, ERR_USAGE, "-o has nothing to name: --plots DIR and --html FILE do");
}

static bool check_options(const struct options *options, struct err *err)
{
	const bool text = count_texts(options);

	if (!text && !options->plots && !options->html && !options->timeline)
		return err_set(err, ERR_USAGE,
			       "as what? give --csv, --json, --otlp, --plots DIR, --html FILE or "
			       "--timeline FILE");
	if (count_texts(options) > 1)
		return err_set(err, ERR_USAGE, "one of --csv, --json and --otlp at a time");
	if (options->plots && !strcmp(options->plots, "-"))
		return err_set(err, ERR_USAGE,
			       "pictures do not go to standard output: give --plots a folder "
			       "(./- is one)");
	if ((text && output_is_standard(options->output)) +
		    (options->html && output_is_standard(options->html)) +
		    (options->timeline && output_is_standard(options->timeline)) >
	    1)
		return err_set(
			err, ERR_USAGE,
			"two results cannot go to standard output: give -o FILE, --html FILE or "
			"--timeline FILE");
	return true;
}

static bool export(struct options *options, struct err *err)
{
	struct profile *profile;
	const char *path;
	bool ok;

	if (!check_options(options, err) || !find_profile(options, &path, err) ||
	    !place_results(options, err) || !profile_open(path, &profile, err))
		return false;
	ok = !count_texts(options) ||
	     export_file(options, path, profile, options->output, export_text(options), err);
	if (ok && options->timeline)
		ok = export_file(options, path, profile, options->timeline, export_spans_timeline,
				 err);
	if (ok && (options->plots || options->html))
		ok = export_models(profile, path, options, err);
	profile_close(profile);
	return ok;
}

static int cmd_export_run(const struct options *options)
{
	struct options placed = *options;
	struct err err;

	temp_cleanup_catch();
	return message_status(export(&placed, &err), &err);
}

const struct command command_export = {
	.usage = {.name = "export",
		  .bit = COMMAND_EXPORT,
		  .arguments = "PROFILE",
		  .summary =
			  "Write the samples or models of a profile for other programs and people",
		  .details =
			  "--csv, which fathom import reads, and --json go to standard output "
			  "without "
			  "-o. With --csv=spreadsheet an apostrophe is before texts that a "
			  "spreadsheet would run as formulas. --plots writes of each model a "
			  "scatter plot, what the model leaves "
			  "over and "
			  "a histogram: as SVG, as a script for gnuplot with its data, and, where "
			  "gnuplot is "
			  "installed, as PNG and PDF. Of --plots and --html one may go without its "
			  "place: --html -o FILE. Files that fathom did "
			  "not make are not "
			  "overwritten "
			  "there. --timeline draws one call with all below it; --otlp writes what "
			  "viewers of OpenTelemetry's traces read, to standard output without -o. "
			  "--html writes one page that needs no other file (-: to standard "
			  "output).",
		  .min_arguments = 0,
		  .max_arguments = 1},
	.run = cmd_export_run,
	.confined = true,
};
