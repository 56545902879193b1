/*
 * fathom annotate: build the models again from stored samples. run and attach also print their
 * annotations through this file; results/annotate.c does the work.
 */
#include "results/annotate.h"
#include "select/selection.h"
#include "cmd.h"
#include "explore/live_run.h"
#include "record/default_profile.h"
#include "record/measure.h"
#include "cli/interrupt.h"
#include "cli/message.h"

static bool is_measured(const void *programs, const struct samples *samples)
{
	return programs_have(programs, samples);
}

bool cmd_annotate_prepare(struct options *options, struct err *err)
{
	struct err why;

	if (!selection_prepare(options, err))
		return false;
	options->keeps = !options->output && default_profile_check(&why);
	if (options->keeps)
		options->output = DEFAULT_PROFILE;
	else if (!options->output)
		options->unkept = arena_strdup(options->arena, why.text);
	options->hot |= options->n_functions == 0;
	return !options->no_models || options->output ||
	       err_set(err, ERR_USAGE,
		       "--no-models keeps samples only: say where, with -o PROFILE");
}

bool cmd_annotate_measured(struct measurement *m, struct err *err)
{
	const struct chosen_filter measured = {is_measured, m->programs};
	struct options options = *m->options;

	if (m->options->no_models) {
		output_begin(&m->output); /* nothing, in place of what is there */
		return true;
	}
	if (m->unstored || (options.keeps && !m->lock)) /* or it could not be begun */
		options.output = NULL;
	if (m->live && live_run_was_quit(m->live) && options.output) {
		if (!options.quiet)
			message_note("the samples are in %s: fathom explore %s goes on, fathom "
				     "annotate %s prints the models",
				     options.output, options.output, options.output);
		return true;
	}
	return annotate_profile(m->profile, &options, m->programs ? &measured : NULL, &m->output,
				err);
}

static bool annotate_function(const struct options *options, struct profile *profile,
			      struct err *err)
{
	const char *inputs[] = {options->arguments[0]};
	struct output output;
	bool ok;

	if (!output_open(options->report, inputs, 1, &output, err))
		return false;
	ok = annotate_profile(profile, options, NULL, &output, err);
	return output_close(&output, err) && ok;
}

static int cmd_annotate_run(const struct options *options)
{
	struct profile *profile;
	struct err err;
	bool ok;

	if (options->compose && options->where) {
		err_set(&err, ERR_USAGE, "--compose is of all calls: leave --where out");
		return message_status(false, &err);
	}
	if (!profile_open(options->arguments[0], &profile, &err))
		return message_status(false, &err);
	interrupt_start(INTERRUPT_BY_TERMINAL, 0);
	ok = annotate_function(options, profile, &err);
	interrupt_stop();
	profile_close(profile);
	return message_status(ok, &err);
}

const struct command command_annotate = {
	.usage = {.name = "annotate",
		  .bit = COMMAND_ANNOTATE,
		  .arguments = "PROFILE",
		  .summary = "Build the models again from stored samples and print annotations",
		  .min_arguments = 1,
		  .max_arguments = 1},
	.run = cmd_annotate_run,
	.confined = true,
};
