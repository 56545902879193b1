/* Reads the catalogue anew, while the program runs on, and passes it to all that have the old. */
#include "replan.h"

#include "accounts.h"
#include "advise/precision_watch.h"
#include "cli/message.h"
#include "trace/session_halt.h"

/* Store what is known of functions that @catalogue drops. */
static bool store_dropped(struct measurement *m, const struct program *program,
			  const struct catalogue *catalogue, struct err *err)
{
	if (!recorder_flush(m->recorder, err) || !recorder_add_looped(m->recorder, err))
		return false;
	for (size_t i = 0; i < program->catalogue->n_functions; i++)
		if (catalogue_find_same(catalogue, program->catalogue, i) ==
			    catalogue->n_functions &&
		    !accounts_store(m, program, i, err))
			return false;
	return true;
}

static bool replace(struct measurement *m, struct catalogue *catalogue, struct err *err)
{
	const bool was_halted = session_is_halted(m->session);
	struct program *program = m->first;
	bool ok;

	if (!was_halted && !session_halt(m->session, err))
		return false;
	ok = store_dropped(m, program, catalogue, err) &&
	     session_replan(m->session, program->image, catalogue, err);
	if (ok) {
		programs_replace(m->programs, program, catalogue);
		recorder_replace_image(m->recorder, program->image, catalogue, program->modules);
	}
	if (!was_halted)
		session_continue(m->session);
	return ok;
}

bool replan_first(struct measurement *m, struct err *err)
{
	struct program_source source = {
		.path = m->interpreter ? m->interpreter : m->path,
		.process = session_process(m->session),
		.running = true,
	};
	struct catalogue *catalogue;

	if (!programs_read_again(m->programs, &source, &catalogue, err))
		return false;
	if (replace(m, catalogue, err))
		return true;
	catalogue_destroy(catalogue);
	return false;
}

static void leave_out(struct measurement *m, const struct precise_function *precise,
		      const struct program *program, unsigned function)
{
	const uint64_t calls =
		session_function_account(m->session, program->image, function)->calls;
	const bool was_halted = session_is_halted(m->session);
	struct err ignored;

	if (!was_halted && !session_halt(m->session, &ignored))
		return;
	session_enable(m->session, program->image, function, false);
	if (!was_halted)
		session_continue(m->session);
	if (!m->options->quiet)
		message_note("%s is measured no longer, after %lu calls: what a typical one costs "
			     "is known to %.2g %%",
			     precise->function->function, calls, 100 * precise->relative);
}

static size_t count_called(const struct measurement *m)
{
	struct program *const *programs;
	const size_t n = programs_measured(m->programs, &programs);
	size_t called = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < programs[i]->catalogue->n_functions; j++)
			called +=
				session_function_account(m->session, programs[i]->image, j)->calls >
				0;
	return called;
}

bool replan_precise(struct measurement *m)
{
	struct precise_function precise;
	const struct program *program;
	size_t n_known = 0;
	unsigned function;

	for (size_t i = 0; precision_watch_found(m->precise, i, &precise); i++) {
		if (!programs_find_function(m->programs, precise.function, &program, &function))
			continue;
		n_known++;
		if (i >= m->n_precise)
			leave_out(m, &precise, program, function);
		m->n_precise = i + 1 > m->n_precise ? i + 1 : m->n_precise;
	}
	precision_watch_wake(m->precise);
	return !n_known || n_known < count_called(m);
}
