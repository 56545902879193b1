/* Which tail calls lead to functions that end in pads, and the code that ends those that wait. */
#include "pads.h"

#include "trace/probe/breakpoint.h"
#include "trace/state/measured.h"

enum { TAILS_MAX = 4 /* after each other */ };

static bool is_ended(const struct inferior *inferior, const struct measured_function *measured,
		     const struct exit_site *exit, unsigned depth);

static bool ends_in_pads(const struct inferior *inferior, const struct measured_function *measured,
			 unsigned depth)
{
	const struct function *function = measured->function;

	for (size_t i = 0; i < function->n_exits; i++)
		if (!function->exits[i].site.size ||
		    (function->exits[i].kind != EXIT_RETURN &&
		     !is_ended(inferior, measured, &function->exits[i], depth)))
			return false;
	return function->n_exits;
}

static bool is_ended(const struct inferior *inferior, const struct measured_function *measured,
		     const struct exit_site *exit, unsigned depth)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	const unsigned module = measured->function->module;
	const uint64_t bias = inferior->modules[module].load_bias;
	const struct breakpoint *breakpoint =
		breakpoint_find(inferior->breakpoints, module_runtime(bias, exit->addr));
	const struct insn *jump = breakpoint ? &breakpoint->displaced.insn : NULL;

	if (!depth || exit->kind != EXIT_TAIL_JUMP || !jump ||
	    (jump->kind != INSN_JUMP && jump->kind != INSN_JUMP_IF))
		return false;
	for (size_t i = 0; i < catalogue->n_functions; i++)
		if (catalogue->functions[i].module == module &&
		    module_runtime(bias, catalogue->functions[i].entry_addr) == jump->target)
			return !inferior->pads->functions[i].why &&
			       ends_in_pads(inferior, &inferior->image->functions[i], depth - 1);
	return false;
}

bool pad_tails_is_ended(const struct inferior *inferior, const struct measured_function *measured,
			const struct exit_site *exit)
{
	return is_ended(inferior, measured, exit, TAILS_MAX);
}

static bool has_tail_jump(const struct function *function)
{
	for (size_t i = 0; i < function->n_exits; i++)
		if (exit_is_jump(function->exits[i].kind))
			return true;
	return false;
}

static void tell(struct inferior *inferior, unsigned function)
{
	const size_t at = pad_block_sums(function) + offsetof(struct pad_sums, end);
	const struct target *target = &inferior->session->target;
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next) {
		if (tracee->inferior != inferior || !tracee->pad)
			continue;
		tracee->pad->sums[function].end = inferior->pads->ends[function];
		target->ops->write(target->self, tracee->tid, tracee->pad->address + at,
				   &inferior->pads->ends[function], sizeof(uint64_t));
	}
}

void pad_tails_make_ends(struct inferior *inferior, pid_t tid)
{
	struct pads *pads = inferior->pads;
	struct err ignored;

	for (size_t i = 0; i < inferior->image->catalogue->n_functions; i++) {
		const struct function *function = inferior->image->functions[i].function;
		const uint64_t bias = inferior->modules[function->module].load_bias;
		const struct pad_probe end = {.kind = PAD_END,
					      .function = &pads->functions[i].code};

		if (pads->functions[i].code.events || pads->ends[i] || pads->functions[i].why ||
		    !has_tail_jump(function) || !inferior->modules[function->module].mapped ||
		    !pad_patch_make_alone(pads->patches, tid,
					  module_runtime(bias, function->entry_addr), &end,
					  &pads->ends[i], &ignored))
			continue;
		tell(inferior, i);
	}
}
