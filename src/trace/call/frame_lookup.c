/* Which open call a tracee is in: the innermost whose frame holds the stack pointer. */
#include "frame_lookup.h"

#include "trace/state/stack_regions.h"

/* A mapping merged with a stack changes its identity. */
static bool is_on_stack(const struct inferior *inferior, const struct open_call *call,
			uint64_t stack)
{
	return call->stack == stack || stack_regions_known(inferior, call->cfa - 8) == stack;
}

static struct open_call *find_in(const struct inferior *inferior, struct call_stack *calls,
				 uint64_t sp, uint64_t stack)
{
	size_t i;

	for (i = calls->n; i > 0; i--) {
		struct open_call *call = &calls->calls[i - 1];

		if (!call->return_pc && call->cfa > sp && is_on_stack(inferior, call, stack))
			return call;
	}
	return NULL;
}

static struct open_call *nearer(struct open_call *a, struct open_call *b)
{
	return a && (!b || a->cfa <= b->cfa) ? a : b;
}

/* Coroutines begun by another thread, even one that is gone. */
static struct open_call *find_elsewhere(const struct tracee *tracee, uint64_t sp, uint64_t stack)
{
	struct inferior *inferior = tracee->inferior;
	struct open_call *call = find_in(inferior, &inferior->orphans, sp, stack);
	struct tracee *other, *next;

	if (inferior->n_threads > 1)
		HASH_ITER (hh, inferior->session->tracees, other, next)
			if (other != tracee && other->inferior == inferior)
				call = nearer(call, find_in(inferior, &other->calls, sp, stack));
	return call;
}

struct open_call *frame_lookup_find(struct tracee *tracee)
{
	const uint64_t sp = tracee->registers.rsp;
	const uint64_t stack = stack_regions_identity(tracee, sp);
	struct open_call *call = find_in(tracee->inferior, &tracee->calls, sp, stack);

	if (!call)
		call = find_elsewhere(tracee, sp, stack);
	return stack ? call : NULL;
}
