/*
 * fathom run: measure a program that record/launcher.c launches, print annotations. The process
 * that was started only waits, so that the program does not stand still when somebody stops that.
 */
#include <string.h>

#include "cmd.h"
#include "record/choice.h"
#include "record/launcher.h"
#include "cli/message.h"
#include "trace/supervisor.h"

static int run_traced(struct options *options, struct recovery *guard, struct live_run *live)
{
	struct measurement m = {.options = options,
				.arena = arena_create(),
				.guard = guard,
				.live = live,
				.choice = options->hot ? choice_create(options) : NULL,
				.finish = cmd_annotate_measured};
	struct err err;
	bool ok;

	if (live)
		live_run_follow(live);
	ok = launcher_measure(&m, &err);
	measure_release(&m);
	supervisor_end(guard);
	return message_status(ok, &err);
}

static int run_supervised(struct options *options, struct live_run *live, struct err *err)
{
	enum supervised role;
	struct recovery *guard;
	int status;

	if (!supervisor_start(SUPERVISED_ENDS, &role, &guard, &status, err)) {
		live_run_destroy(live);
		return message_status(false, err);
	}
	if (role == SUPERVISED_TRACER)
		return run_traced(options, guard, live);
	live_run_destroy(live); /* the tracer may have died before */
	if (status > SUPERVISED_KILLED)
		message_error("the tracer was killed by signal %d (%s), and %s with it",
			      status - SUPERVISED_KILLED, strsignal(status - SUPERVISED_KILLED),
			      options->arguments[0]);
	return status;
}

static int cmd_run_run(const struct options *options)
{
	struct options own = *options;
	struct live_run *live = NULL;
	struct err err;

	if (cmd_annotate_prepare(&own, &err) &&
	    (!own.explore || live_run_start(&own, LIVE_RUN, &live, &err)))
		return run_supervised(&own, live, &err);
	return message_status(false, &err);
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
