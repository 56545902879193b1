/*
 * fathom attach: measure functions of a running process, then detach and leave it unharmed.
 * record/measure.c measures; trace/rescue/supervisor.c frees the process if the tracer dies.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "base/front.h"
#include "cli/host.h"
#include "record/choice.h"
#include "cli/message.h"
#include "inspect/follow_stuck.h"
#include "trace/ptrace_access.h"
#include "trace/supervisor.h"

/* Who ends us while we attach gets an orderly end of it: in the midst of it no end is. */
static bool attach_process(struct measurement *m, pid_t pid, struct recovery *guard,
			   struct err *err)
{
	static const int late[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct session_options options = measure_session_options(m);
	struct session *session;
	sigset_t set, own;
	bool ok;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		sigaddset(&set, late[i]);
	options.guard = guard;
	sigprocmask(SIG_BLOCK, &set, &own);
	ok = session_attach(measure_catalogue(m), pid, &options, &session, err);
	if (ok)
		measure_begin(m, session);
	sigprocmask(SIG_SETMASK, &own, NULL);
	return ok;
}

static bool attach_measure(struct measurement *m, struct recovery *guard, struct err *err)
{
	pid_t pid;

	if (!host_parse_pid(m->options->arguments[0], &pid, err) || !ptrace_access_check(pid, err))
		return false;
	m->attached = pid;
	m->path = host_process_program(m->arena, arena_printf(m->arena, "%d", (int)pid));
	if (!m->path) /* /proc hides the path of a process we may not trace */
		return ptrace_access_explain(pid, errno == ENOENT ? ESRCH : errno, err);
	m->command = host_process_command(m->arena, pid);
	return measure_open(m, err) && measure_take_streams(m, err) &&
	       attach_process(m, pid, guard, err) && measure_to_end(m, err);
}

static int attach_status_of(bool ok, const struct err *err)
{
	if (ok)
		return EXIT_DONE;
	message_error("%s", err->text);
	return err->code == ERR_TARGET || err->code == ERR_UNSUPPORTED ? EXIT_TARGET
								       : EXIT_UNUSABLE;
}

static int follow_stuck(const struct options *options, struct recovery *guard)
{
	struct err err;
	const bool ok = follow_stuck_run(options, guard, &err);

	supervisor_end(guard);
	return attach_status_of(ok, &err);
}

static int trace(struct options *options, struct recovery *guard, struct live_run *live)
{
	struct measurement m = {.options = options,
				.arena = arena_create(),
				.seconds = options->seconds,
				.live = live,
				.lenient = options->watched,
				.choice = options->hot ? choice_create(options) : NULL,
				.finish = cmd_annotate_measured};
	struct err err;
	bool ok;

	if (live)
		live_run_follow(live);
	m.name = arena_printf(m.arena, "process %s", options->arguments[0]);
	ok = attach_measure(&m, guard, &err);
	measure_release(&m);
	supervisor_end(guard);
	return attach_status_of(ok, &err);
}

/* The usual signals of users kill the tracer only outside the measurement. */
static void report_death(int number, const char *process)
{
	const char *name = strsignal(number);
	const bool is_there = kill(atoi(process), 0) == 0 || errno != ESRCH;

	switch (number) {
	case SIGHUP:
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
		message_error("ended by signal %d (%s); the process %s", number, name,
			      is_there ? "goes on" : "has ended, too");
		break;
	default:
		message_error("the tracer was killed by signal %d (%s); process %s %s", number,
			      name, process, is_there ? "was freed and goes on" : "has ended");
	}
}

static int attach_supervise(struct options *options, struct live_run *live)
{
	enum supervised role;
	struct recovery *guard;
	struct err err;
	int status;

	if (!supervisor_start(&role, &guard, &status, &err)) {
		live_run_destroy(live);
		message_error("%s", err.text);
		return EXIT_TARGET;
	}
	if (role == SUPERVISED_TRACER)
		return options->stuck ? follow_stuck(options, guard) : trace(options, guard, live);
	live_run_destroy(live); /* the tracer may have died before */
	if (status > SUPERVISED_KILLED)
		report_death(status - SUPERVISED_KILLED, options->arguments[0]);
	return status;
}

static int cmd_attach_run(const struct options *options)
{
	struct options own = *options;
	struct live_run *live = NULL;
	struct err err;

	front_heed();
	front_start("supervisor", SIGTERM);
	if ((own.stuck || cmd_annotate_prepare(&own, &err)) &&
	    (!own.explore || live_run_start(&own, LIVE_ATTACH, &live, &err)))
		return attach_supervise(&own, live);
	return message_status(false, &err);
}

const struct command command_attach = {
	.usage =
		{.name = "attach",
		 .bit = COMMAND_ATTACH,
		 .arguments = "PID",
		 .summary =
			 "Measure functions of a running process, print what their cost depends on",
		 .details =
			 "The measurement ends after --for, on Ctrl-C, or with the process, which "
			 "lives on "
			 "unharmed. What it replaces itself with (exec) is measured as well; what "
			 "it starts is "
			 "with --follow-fork. With --explore it ends when the explorer is quit; "
			 "then nothing is printed. "
			 "Without -f and -o functions are chosen and a profile is kept as by "
			 "fathom run. "
			 "The samples are added to the profile of -o, and the annotations are "
			 "made of all samples in it. "
			 "With --stuck nothing is measured but calls that are open already: of "
			 "each thread the innermost "
			 "call of a function that -f names, or, without that, of one that has an "
			 "annotation of time in the file of "
			 "--annotations, or, without both, of any of the program itself. What it "
			 "waits for is told, "
			 "and, when it has returned, how long it took at least and at most, and "
			 "what was expected of "
			 "it; features are those of the moment in which it was found. Calls that "
			 "have been inlined cannot be followed. With --stuck go -f, "
			 "--annotations, --for, --max-depth, --max-features, --globals, "
			 "--containers and --raw (of the "
			 "values that are "
			 "shown), --debuginfo-path, --report, --json, --color, -q and -v.",
		 .min_arguments = 1,
		 .max_arguments = 1},
	.run = cmd_attach_run,
};
