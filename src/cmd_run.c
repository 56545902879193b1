/* fathom run: launch a program, measure functions, store the samples, print annotations. */
#include <unistd.h>

#include "cmd.h"
#include "forward.h"
#include "host.h"
#include "measure.h"
#include "message.h"
#include "refusal.h"

static bool find_program(struct measurement *m, struct err *err)
{
	m->path = host_find_program(m->arena, m->name);
	if (!m->path)
		return err_set(err, ERR_IO, "there is no program %s in PATH: give its path",
			       m->name);
	if (access(m->path, F_OK) == 0 && access(m->path, X_OK) != 0)
		return err_set(err, ERR_IO, "%s is not executable: chmod +x makes it so", m->path);
	m->interpreter = host_interpreter(m->arena, m->path);
	return true;
}

static bool launch(struct measurement *m, struct forwarder *forwarder, struct err *err)
{
	const struct session_options options = measure_session_options(m);
	struct session *session;

	if (!session_launch(measure_catalogue(m), m->path, m->options->arguments, &options,
			    &session, err))
		return false;
	forwarder_start(forwarder, session_process(session));
	measure_begin(m, session);
	return true;
}

static bool measure(struct measurement *m, struct err *err)
{
	struct forwarder forwarder = {.running = false};
	bool ok;

	if (m->options->n_functions == 0)
		return err_set(err, ERR_USAGE,
			       "which function? give -f NAME; fathom list %s shows the names",
			       m->name);
	ok = find_program(m, err) && refusal_check(m->path, err) && measure_open(m, err) &&
	     launch(m, &forwarder, err) && measure_to_end(m, err);
	forwarder_stop(&forwarder);
	return ok;
}

static int run(const struct options *options)
{
	struct measurement m = {
		.options = options, .arena = arena_create(), .name = options->arguments[0]};
	struct err err;
	bool ok;

	m.command = host_quote(m.arena, options->arguments);
	ok = measure(&m, &err);
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
			 "The samples are added to the profile of -o, and the annotations are made of all "
			 "samples in it. PROG keeps its standard streams; its end is reported on standard error. "
			 "Ctrl-C ends the measurement; PROG, which gets it too, may go on to its end. What PROG "
			 "replaces itself with (exec) is measured as well; what it starts is with --follow-fork.",
		 .min_arguments = 1,
		 .max_arguments = -1},
	.run = run,
};
