/* Planting the breakpoints of all functions that are to be measured. */
#include <stdlib.h>

#include "trace/engine.h"

static bool plant_entry(struct session *session, pid_t tid, unsigned index, struct err *err)
{
	const struct function *function = session->functions[index].function;
	uint64_t pc = module_runtime(session->load_bias, function->probe_addr);
	struct breakpoint *breakpoint;

	if (!breakpoint_plant(session->breakpoints, tid, pc, &breakpoint, err))
		return false;
	if (breakpoint->entry_of >= 0)
		return err_set(err, ERR_UNSUPPORTED,
			       "it shares its code with %s, which is measured",
			       session->functions[breakpoint->entry_of].function->name);
	breakpoint->entry_of = index;
	return true;
}

static bool plant_exit(struct session *session, pid_t tid, unsigned index,
		       const struct exit_site *exit, struct err *err)
{
	uint64_t pc = module_runtime(session->load_bias, exit->addr);
	struct breakpoint *breakpoint;

	if (!breakpoint_plant(session->breakpoints, tid, pc, &breakpoint, err))
		return false;
	breakpoint->exit_of = index;
	breakpoint->exit_kind = exit->kind;
	return true;
}

/* Exits first: a function that cannot be left properly must not be entered. */
static bool plant_function(struct session *session, pid_t tid, unsigned index, struct err *err)
{
	const struct function *function = session->functions[index].function;
	size_t i;

	for (i = 0; i < function->n_exits; i++)
		if (!plant_exit(session, tid, index, &function->exits[i], err))
			return false;
	return plant_entry(session, tid, index, err);
}

void session_plant(struct session *session, pid_t tid)
{
	struct err err;
	size_t i;

	for (i = 0; i < session->catalogue->n_functions; i++) {
		const struct function *function = session->functions[i].function;

		if (!function->unmeasurable && !plant_function(session, tid, i, &err))
			session_note(session, "%s is not measured: %s", function->name, err.text);
	}
	breakpoint_table_complete(session->breakpoints, tid);
}
