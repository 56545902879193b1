/* fathom run: measure a program that record/launcher.c launches, print annotations. */
#include <signal.h>

#include "cmd.h"
#include "base/front.h"
#include "record/choice.h"
#include "record/launcher.h"
#include "cli/message.h"

static bool run_measure(struct options *options, struct err *err)
{
	struct measurement m = {
		.options = options, .arena = arena_create(), .finish = cmd_annotate_measured};
	bool ok = cmd_annotate_prepare(options, err) &&
		  (!options->explore || live_run_start(options, LIVE_RUN, &m.live, err));

	if (ok && options->hot)
		m.choice = choice_create(options);
	ok = ok && launcher_measure(&m, err);
	measure_release(&m);
	return ok;
}

static int cmd_run_run(const struct options *options)
{
	struct options own = *options;
	struct err err;
	bool ok;

	front_start("tracer", SIGKILL);
	ok = options->with ? cmd_run_with(&own, run_measure, &err) : run_measure(&own, &err);
	return message_status(ok, &err);
}

const struct command command_run = {
	.usage =
		{.name = "run",
		 .bit = COMMAND_RUN,
		 .arguments = "-- PROG [ARG...]",
		 .summary = "Launch PROG, measure functions, print what their cost depends on",
		 .details =
			 "Without -f, functions are chosen while PROG runs: after 50, 200 and 1000 "
			 "samples, one each ms, of where it spends its time, those of its own "
			 "sources with the largest part, at most 20, without main(). "
			 "The samples are added to the profile of -o, and the annotations are made "
			 "of all "
			 "samples in it; without -o, fathom.fathom in the current folder is begun "
			 "anew, and the one before becomes fathom.old.fathom. What they mean is "
			 "said in sentences in the end, on standard error (-q: not). PROG keeps "
			 "its standard streams; its end is reported on standard error. "
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
