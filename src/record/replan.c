/* Reads the catalogue anew, while the program runs on, and passes it to all that have the old. */
#include "replan.h"

#include "accounts.h"
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
