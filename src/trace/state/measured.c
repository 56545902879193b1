/* Which functions are open, and which breakpoints that needs. probe_control.c opens and closes. */
#include "measured.h"

#include <math.h>

#include "trace/probe/breakpoint.h"

bool measured_has_first(const struct function *function)
{
	return function->probe_in_loop && function->entry_addr != function->probe_addr;
}

bool measured_is_shut(const struct measured_function *measured)
{
	return measured->closed || measured->disabled;
}

bool measured_is_closed(const struct inferior *inferior, int index)
{
	return index < 0 || measured_is_shut(&inferior->image->functions[index]);
}

void measured_learn(struct measured_function *measured, struct value time)
{
	const double off = time.number - measured->times.mean;

	if (time.absence)
		return;
	measured->times.n++;
	measured->times.mean += off / measured->times.n;
	measured->times.squares += off * (time.number - measured->times.mean);
}

double measured_doubt(const struct measured_function *measured)
{
	enum { LEAST = 30 };
	const double n = measured->times.n;

	if (n < LEAST || measured->times.mean <= 0)
		return 0;
	return sqrt(measured->times.squares / (n - 1) / n) / measured->times.mean;
}

bool measured_may_begin(const struct inferior *inferior, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];

	return !measured_is_shut(measured) && !measured->over;
}

static bool measured_may_end(const struct inferior *inferior, int index)
{
	return !measured_is_closed(inferior, index) ||
	       (index >= 0 && inferior->image->functions[index].exits_stay);
}

bool measured_is_of_cost(const struct breakpoint *breakpoint)
{
	return breakpoint->cost_entry || breakpoint->cost_exit || breakpoint->cost_jump;
}

const struct exit_site *measured_block_exit(const struct inferior *inferior, unsigned index,
					    const struct breakpoint *breakpoint)
{
	const struct function *function = inferior->image->functions[index].function;
	const struct inferior_module *module = &inferior->modules[function->module];

	for (size_t i = 0; module->mapped && i < function->n_exits; i++)
		if (module_runtime(module->load_bias, function->exits[i].addr) ==
		    breakpoint->address)
			return &function->exits[i];
	return NULL;
}

int measured_block_at(const struct inferior *inferior, const struct breakpoint *breakpoint)
{
	const struct image *image = inferior->image;
	int found = -1;

	for (size_t i = 0; breakpoint->for_blocks && i < image->n_blocks; i++) {
		const unsigned index = image->blocks[i];

		if (measured_block_exit(inferior, index, breakpoint) &&
		    (found < 0 || measured_may_end(inferior, (int)index)))
			found = (int)index;
	}
	return found;
}

bool measured_wants(const struct inferior *inferior, const struct breakpoint *breakpoint)
{
	return breakpoint->returns || breakpoint->of_loader || breakpoint->for_cost ||
	       (breakpoint->hook && (!inferior->unhooked || breakpoint->hook == HOOK_CHANGE)) ||
	       breakpoint->branch_of >= 0 || breakpoint->line_of >= 0 ||
	       !measured_is_closed(inferior, breakpoint->entry_of) ||
	       !measured_is_closed(inferior, breakpoint->first_of) ||
	       measured_may_end(inferior, breakpoint->exit_of) ||
	       measured_may_end(inferior, measured_block_at(inferior, breakpoint));
}
