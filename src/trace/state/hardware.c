/* An entry and the exits of each function take an address each; nothing else gets one. */
#include "hardware.h"

#include "core/catalogue/cost_call.h"
#include "trace/target/debug_registers.h"
#include "measured.h"

/* It leaves by a jump: its end is at its return address, which may be anywhere. */
static bool leaves_by_jump(const struct function *function)
{
	for (size_t i = 0; i < function->n_exits; i++)
		if (exit_is_jump(function->exits[i].kind))
			return true;
	return false;
}

static size_t addresses_of(const struct function *function)
{
	return function->n_exits + 1 + measured_has_first(function);
}

static bool options_fit(const struct session_options *options, struct err *err)
{
	if (options->metrics & cost_call_metrics() || options->branches || options->loops)
		return err_set(
			err, ERR_USAGE,
			"--probes hardware has no addresses left for allocations, locks, "
			"transfers, branches or loops: leave them out, or measure with pads");
	return true;
}

bool hardware_fits(const struct catalogue *catalogue, const struct session_options *options,
		   struct err *err)
{
	const struct function *largest = NULL;
	size_t n = 0;

	if (options->probes != PROBES_HARDWARE)
		return true;
	if (!options_fit(options, err))
		return false;
	for (size_t i = 0; catalogue && i < catalogue->n_functions; i++) {
		const struct function *function = &catalogue->functions[i];

		if (function->unmeasurable)
			continue;
		if (leaves_by_jump(function))
			return err_set(
				err, ERR_USAGE,
				"--probes hardware cannot see the end of %s, which leaves by "
				"a jump to another function; leave it out",
				function->name);
		n += addresses_of(function);
		if (!largest || addresses_of(function) > addresses_of(largest))
			largest = function;
	}
	if (n > DEBUG_REGISTERS)
		return err_set(err, ERR_USAGE,
			       "--probes hardware has four addresses, not %zu: %s has %zu exit%s; "
			       "leave one out",
			       n, largest->name, largest->n_exits,
			       largest->n_exits == 1 ? "" : "s");
	return true;
}
