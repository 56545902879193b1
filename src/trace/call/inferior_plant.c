/* Planting the breakpoints of a module's measured functions. */
#include "inferior_plant.h"

#include <stdlib.h>

#include "branches.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/event_queue.h"
#include "probe_control.h"
#include "trace/state/measured.h"

static uint64_t runtime(const struct inferior *inferior, unsigned index, uint64_t addr)
{
	unsigned module = inferior->image->functions[index].function->module;

	return module_runtime(inferior->modules[module].load_bias, addr);
}

static bool plant_entry(struct inferior *inferior, pid_t tid, unsigned index, struct err *err)
{
	const struct function *function = inferior->image->functions[index].function;
	uint64_t pc = runtime(inferior, index, function->probe_addr);
	struct breakpoint *breakpoint;

	if (!breakpoint_plant(inferior->breakpoints, tid, pc, &breakpoint, err))
		return false;
	if (breakpoint->entry_of >= 0)
		return err_set(err, ERR_UNSUPPORTED, "it begins where %s does, which is measured",
			       inferior->image->functions[breakpoint->entry_of].function->name);
	breakpoint->entry_of = index;
	breakpoint->for_blocks |= function->block != 0;
	return true;
}

static bool plant_exit(struct inferior *inferior, pid_t tid, unsigned index,
		       const struct exit_site *exit, struct err *err)
{
	struct breakpoint *breakpoint;

	if (!breakpoint_plant(inferior->breakpoints, tid, runtime(inferior, index, exit->addr),
			      &breakpoint, err))
		return false;
	if (inferior->image->functions[index].function->block) {
		breakpoint->for_blocks = true;
		return true;
	}
	breakpoint->exit_of = index;
	breakpoint->exit_kind = exit->kind;
	return true;
}

/*
 * A probe inside a loop is hit by new calls and by turns of the open one: a hit of the first
 * instruction tells them apart. Without it, only the return address does.
 */
static void plant_first(struct inferior *inferior, pid_t tid, unsigned index)
{
	const struct function *function = inferior->image->functions[index].function;
	struct breakpoint *breakpoint;
	struct err ignored;

	if (measured_has_first(function) &&
	    breakpoint_plant(inferior->breakpoints, tid,
			     runtime(inferior, index, function->entry_addr), &breakpoint, &ignored))
		breakpoint->first_of = index;
}

void inferior_plant_lines(struct inferior *inferior, pid_t tid, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];
	struct breakpoint *breakpoint;
	struct err err;

	for (size_t i = 0; i < measured->n_lines; i++)
		if (breakpoint_plant_over(inferior->breakpoints, tid,
					  runtime(inferior, index, measured->lines[i]), &breakpoint,
					  &err))
			breakpoint->line_of = index;
		else
			event_queue_note(inferior->session, "no stop at a line of %s: %s",
					 measured->function->name, err.text);
}

void inferior_lift_lines(struct inferior *inferior, pid_t tid, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];

	for (size_t i = 0; i < measured->n_lines; i++) {
		struct breakpoint *breakpoint = breakpoint_find(
			inferior->breakpoints, runtime(inferior, index, measured->lines[i]));

		if (!breakpoint)
			continue;
		breakpoint->line_of = -1;
		if (!measured_wants(inferior, breakpoint))
			breakpoint_lift(inferior->breakpoints, tid, breakpoint);
	}
}

/* Before the program asks them it cannot come by the probes. */
static void raise_semaphores(struct inferior *inferior, pid_t tid, unsigned index)
{
	const struct function *function = inferior->image->functions[index].function;
	struct err err;

	for (size_t i = 0; i < function->n_semaphores; i++)
		if (!breakpoint_table_raise(inferior->breakpoints, tid,
					    runtime(inferior, index, function->semaphore_addrs[i]),
					    &err))
			event_queue_note(inferior->session, "%s: %s", function->name, err.text);
}

/* Exits first: no call may begin whose end would be missed. */
static bool plant_function(struct inferior *inferior, pid_t tid, unsigned index, struct err *err)
{
	const struct function *function = inferior->image->functions[index].function;
	size_t i;

	for (i = 0; i < function->n_exits; i++)
		if (!plant_exit(inferior, tid, index, &function->exits[i], err))
			return false;
	if (!plant_entry(inferior, tid, index, err))
		return false;
	plant_first(inferior, tid, index);
	raise_semaphores(inferior, tid, index);
	branches_plant(inferior, tid, index);
	inferior_plant_lines(inferior, tid, index);
	return true;
}

/* Once per function: a library may be loaded repeatedly. */
static void say_failure(struct inferior *inferior, unsigned index, const struct err *err)
{
	struct measured_function *measured = &inferior->image->functions[index];

	if (!measured->said_failure)
		event_queue_note(inferior->session, "%s is not measured: %s",
				 measured->function->name, err->text);
	measured->said_failure = true;
}

void inferior_plant_function(struct inferior *inferior, pid_t tid, unsigned index)
{
	const struct function *function = inferior->image->functions[index].function;
	struct err err;

	if (!function->unmeasurable && !plant_function(inferior, tid, index, &err))
		say_failure(inferior, index, &err);
}

void inferior_plant(struct inferior *inferior, pid_t tid, unsigned module)
{
	size_t i;

	for (i = 0; i < inferior->image->catalogue->n_functions; i++)
		if (inferior->image->functions[i].function->module == module)
			inferior_plant_function(inferior, tid, i);
	probe_control_planted(inferior, tid, module);
}
