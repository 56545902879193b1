/* Calls of blocks are found by their frames, as struct function says. */
#include "block_exits.h"

#include "call_stack.h"
#include "feature_reading.h"
#include "migrated_calls.h"
#include "trace/probe/breakpoint.h"
#include "trace/probe/displaced.h"
#include "trace/state/measured.h"

/* The frame of @function, number @index, at @exit. False: it cannot be read. */
static bool exit_frame(struct session *session, struct tracee *tracee, unsigned index,
		       const struct exit_site *exit, uint64_t *ret)
{
	const struct function *function = tracee->inferior->image->functions[index].function;
	struct tracee_memory memory;
	struct plan_context context;
	struct value cfa;

	*ret = tracee->registers.rsp + 8 - function->block;
	if (exit->kind != EXIT_BLOCK)
		return true;
	feature_reading_context(session, tracee, index, &memory, &context);
	plan_runner_run(session->runner, &exit->cfa, 1, &context, &cfa);
	*ret = (uint64_t)cfa.number;
	return cfa.absence == PRESENT;
}

/* Is a jump that may leave the function about to? */
static bool is_taken(const struct session *session, const struct tracee *tracee,
		     const struct breakpoint *breakpoint, const struct function *function)
{
	const uint64_t bias = tracee->inferior->modules[function->module].load_bias;
	struct user_regs_struct after = tracee->registers;

	return displaced_step(&breakpoint->displaced, &session->target, tracee->tid, &after) &&
	       !catalogue_contains(function, after.rip - bias);
}

static struct open_call *call_at(struct session *session, struct tracee *tracee,
				 const struct breakpoint *breakpoint, unsigned index,
				 bool *ret_ends)
{
	const struct function *function = tracee->inferior->image->functions[index].function;
	const struct exit_site *exit = measured_block_exit(tracee->inferior, index, breakpoint);
	struct open_call *call;
	uint64_t cfa;

	if (!exit || !exit_frame(session, tracee, index, exit, &cfa))
		return NULL;
	*ret_ends = exit->kind == EXIT_BLOCK || function->ends_with_function;
	if (!*ret_ends && exit->kind != EXIT_RETURN &&
	    !is_taken(session, tracee, breakpoint, function))
		return NULL;
	call = call_stack_find(&tracee->calls, index, cfa);
	return call ? call : migrated_calls_find(tracee, index, cfa);
}

struct open_call *block_exits_next(struct session *session, struct tracee *tracee,
				   const struct breakpoint *breakpoint, struct block_exits *at)
{
	const struct image *image = tracee->inferior->image;
	struct open_call *call = NULL;

	while (!call && at->n < image->n_blocks)
		call = call_at(session, tracee, breakpoint, image->blocks[at->n++], &at->ends);
	return call;
}
