/*
 * Calls that go on in another thread than they began in: coroutines suspended by one thread and
 * resumed by another. Frames of one process never share an address, so an end without a beginning
 * is looked up in the other threads and among orphans, the calls of threads that are gone.
 */
#include "migrated_calls.h"

#include "call_stack.h"
#include "calls_abandon.h"
#include "trace/state/stack_regions.h"

/* The oldest beyond these are given up. */
enum { ORPHANS_MAX = 256 };

static struct open_call *migrated_take_over(struct call_stack *from, struct open_call *call,
					    struct tracee *to)
{
	struct open_call *taken = call_stack_push(&to->calls, call);

	taken->moved = true;
	to->inferior->n_open += from == &to->inferior->orphans;
	call_stack_remove(from, call);
	return taken;
}

/* Which call is looked for. */
struct wanted {
	int function;       /* -1: any */
	uint64_t pc;        /* it waits for a return there; 0: any */
	uint64_t low, high; /* its CFA is in (low, high] */
};

static struct open_call *find_in(struct call_stack *stack, const struct wanted *wanted)
{
	size_t i;

	if (wanted->function >= 0)
		return call_stack_find(stack, (unsigned)wanted->function, wanted->high);
	if (wanted->pc)
		return call_stack_find_waiting(stack, wanted->pc, wanted->high);
	i = call_stack_among(stack, stack->n, wanted->low, wanted->high);
	return i ? &stack->calls[i - 1] : NULL;
}

static struct open_call *fetch(struct tracee *tracee, const struct wanted *wanted)
{
	const uint64_t low = wanted->function >= 0 ? wanted->high - 1 : wanted->low;

	if (wanted->pc)
		return NULL;
	tracee->inferior->fetch_calls(tracee, low, wanted->high);
	return find_in(&tracee->calls, wanted);
}

static struct open_call *find_elsewhere(struct tracee *tracee, struct wanted wanted)
{
	struct inferior *inferior = tracee->inferior;
	struct tracee *other, *next;
	struct open_call *call;

	if ((call = find_in(&inferior->orphans, &wanted)))
		return migrated_take_over(&inferior->orphans, call, tracee);
	if (inferior->n_threads < 2)
		return NULL;
	HASH_ITER (hh, inferior->session->tracees, other, next)
		if (other != tracee && other->inferior == inferior &&
		    (call = find_in(&other->calls, &wanted)))
			return migrated_take_over(&other->calls, call, tracee);
	return fetch(tracee, &wanted);
}

struct open_call *migrated_calls_find(struct tracee *tracee, unsigned function, uint64_t cfa)
{
	return find_elsewhere(tracee, (struct wanted){.function = (int)function, .high = cfa});
}

struct open_call *migrated_calls_find_waiting(struct tracee *tracee, uint64_t pc, uint64_t cfa)
{
	return find_elsewhere(tracee, (struct wanted){.function = -1, .pc = pc, .high = cfa});
}

struct open_call *migrated_calls_find_between(struct tracee *tracee, uint64_t low, uint64_t high)
{
	return find_elsewhere(tracee, (struct wanted){.function = -1, .low = low, .high = high});
}

void migrated_calls_keep(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;
	/* The C library keeps thread data at the end of a thread's stack. */
	uint64_t own = stack_regions_known(inferior, tracee->registers.fs_base);
	size_t i;

	for (i = 0; i < tracee->calls.n;) {
		struct open_call *call = &tracee->calls.calls[i];

		if (call->stack == own) {
			i++;
			continue;
		}
		if (inferior->orphans.n == ORPHANS_MAX)
			calls_abandon(inferior, tracee->tid, &inferior->orphans,
				      inferior->orphans.calls);
		call_stack_push(&inferior->orphans, call);
		inferior->n_open--;
		call_stack_remove(&tracee->calls, call);
	}
}
