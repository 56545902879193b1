/*
 * Launches the measured program: finds it in PATH and forwards signals to it. record/measure.c does
 * the rest.
 */
#include "launcher.h"

#include <unistd.h>

#include "cli/signal_forward.h"
#include "cli/host.h"
#include "cli/leak_check.h"

bool launcher_find(struct measurement *m, struct err *err)
{
	const char *lost_rights;

	m->path = host_find_program(m->arena, m->name);
	if (!m->path)
		return err_set(err, ERR_IO, "there is no program %s in PATH: give its path",
			       m->name);
	if (access(m->path, F_OK) == 0 && access(m->path, X_OK) != 0)
		return err_set(err, ERR_IO, "%s is not executable: chmod +x makes it so", m->path);
	m->interpreter = host_interpreter(m->arena, m->path);
	lost_rights = host_lost_rights(m->path);
	if (lost_rights)
		measure_say(m, arena_printf(m->arena, "the program %s", lost_rights));
	return true;
}

static void dismiss_explorer(void *live)
{
	live_run_dismiss(live);
}

static bool launcher_launch(struct measurement *m, struct signal_forward *forwarder,
			    struct err *err)
{
	const struct session_options options = measure_session_options(m);
	struct session *session;

	if (!session_launch(measure_catalogue(m), m->path, m->options->arguments, &options,
			    &session, err))
		return false;
	signal_forward_start(forwarder, session_process(session));
	measure_begin(m, session);
	return true;
}

bool launcher_measure(struct measurement *m, struct err *err)
{
	struct signal_forward forwarder = {.told = m->live ? dismiss_explorer : NULL,
					   .self = m->live};
	bool ok;

	m->name = m->options->arguments[0];
	m->command = host_quote(m->arena, m->options->arguments);
	ok = launcher_find(m, err) && leak_check(m->path, err) && measure_open(m, err) &&
	     measure_take_streams(m, err) && launcher_launch(m, &forwarder, err) &&
	     measure_to_end(m, err);
	signal_forward_stop(&forwarder);
	return ok;
}
