/* fathom run: measure a program that record/launcher.c launches, print annotations. */
#include "cmd.h"
#include "record/launcher.h"
#include "cli/message.h"

static bool run_measure(struct measurement *m, struct err *err)
{
	if (m->options->n_functions == 0)
		return err_set(err, ERR_USAGE,
			       "which function? give -f NAME; fathom list %s shows the names",
			       m->options->arguments[0]);
	if (!cmd_annotate_check(m->options, err))
		return false;
	return launcher_measure(m, err);
}

static int cmd_run_run(const struct options *options)
{
	struct measurement m = {
		.options = options, .arena = arena_create(), .finish = cmd_annotate_measured};
	struct err err;
	bool ok = (!options->explore || live_run_start(options, LIVE_RUN, &m.live, &err)) &&
		  run_measure(&m, &err);

	measure_release(&m);
	if (ok)
		return EXIT_DONE;
	message_error("%s", err.text);
	return err.code == ERR_TARGET ? EXIT_TARGET : EXIT_UNUSABLE;
}

const struct command command_run = {
	.usage =
		{.name = "run",
		 .bit = COMMAND_RUN,
		 .arguments = "-- PROG [ARG...]",
		 .summary = "Launch PROG, measure functions, print what their cost depends on",
		 .details =
			 "The samples are added to the profile of -o, and the annotations are made "
			 "of all "
			 "samples in it. PROG keeps its standard streams; its end is reported on "
			 "standard error. "
			 "Ctrl-C ends the measurement; PROG, which gets it too, may go on to its "
			 "end. What PROG "
			 "replaces itself with (exec) is measured as well; what it starts is with "
			 "--follow-fork. With "
			 "--explore what PROG writes to the terminal is shown when the explorer "
			 "has been quit, and "
			 "PROG reads nothing from it.",
		 .min_arguments = 1,
		 .max_arguments = -1},
	.run = cmd_run_run,
};
