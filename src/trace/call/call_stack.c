/*
 * Searching a thread's open calls by frame address. call_matching.c decides what is searched for.
 */
#include "call_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "trace/state/callee_sums.h"

void call_stack_deinit(struct call_stack *stack)
{
	size_t i;

	for (i = 0; i < stack->n; i++) {
		free(stack->calls[i].features);
		free(stack->calls[i].branches);
		callee_sums_destroy(stack->calls[i].callees);
	}
	free(stack->calls);
	*stack = (struct call_stack){0};
}

/* Endless mutual tail calls must not pile up open calls. */
enum { TAIL_CALLS_MAX = 64 };

enum entry_kind call_stack_entry(struct call_stack *stack, unsigned function, uint64_t cfa,
				 bool probe_in_loop)
{
	unsigned waiting = 0;
	size_t i;

	for (i = stack->n; i > 0 && stack->calls[i - 1].cfa == cfa; i--) {
		struct open_call *call = &stack->calls[i - 1];

		if (call->function != function)
			continue;
		if (call->restarted) {
			call->restarted = false;
			return ENTRY_AGAIN;
		}
		if (!call->return_pc && probe_in_loop)
			return ENTRY_AGAIN;
		waiting += call->return_pc != 0;
	}
	return waiting < TAIL_CALLS_MAX ? ENTRY_NEW : ENTRY_AGAIN;
}

bool call_stack_begins(const struct entry_facts *facts)
{
	if (facts->goes_on && !facts->is_left)
		return false;
	return !facts->may_be_turn || facts->was_entered || facts->has_returned;
}

bool call_stack_suspects(const struct open_call *call, uint64_t cfa, uint64_t stack)
{
	return call->stack == stack && (call->cfa < cfa || (call->cfa == cfa && !call->return_pc));
}

struct open_call *call_stack_caller(struct call_stack *stack, uint64_t cfa, uint64_t where)
{
	size_t i;

	for (i = stack->n; i > 0; i--)
		if (!call_stack_suspects(&stack->calls[i - 1], cfa, where))
			return &stack->calls[i - 1];
	return NULL;
}

/* Deep in recursion, on one stack, a search takes no longer than near its beginning. */
size_t call_stack_among(const struct call_stack *stack, size_t n, uint64_t low, uint64_t high)
{
	while (stack->is_mixed && n &&
	       (stack->calls[n - 1].cfa <= low || stack->calls[n - 1].cfa > high))
		n--;
	if (!stack->is_mixed)
		n = BISECT_FIRST(i, n, stack->calls[i].cfa > low);
	return n && stack->calls[n - 1].cfa <= high ? n : 0;
}

struct open_call *call_stack_find(struct call_stack *stack, unsigned function, uint64_t cfa)
{
	size_t i = stack->n;

	while ((i = call_stack_among(stack, i, cfa - 1, cfa)) &&
	       stack->calls[i - 1].function != function)
		i--;
	return i ? &stack->calls[i - 1] : NULL;
}

struct open_call *call_stack_find_waiting(struct call_stack *stack, uint64_t pc, uint64_t cfa)
{
	size_t i = stack->n;

	while ((i = call_stack_among(stack, i, cfa - 1, cfa)) &&
	       stack->calls[i - 1].return_pc != pc && stack->calls[i - 1].kept_pc != pc)
		i--;
	return i ? &stack->calls[i - 1] : NULL;
}

struct open_call *call_stack_push(struct call_stack *stack, const struct open_call *call)
{
	return call_stack_insert(stack, call, stack->n);
}

struct open_call *call_stack_insert(struct call_stack *stack, const struct open_call *call,
				    size_t at)
{
	stack->calls =
		mem_grow(stack->calls, &stack->capacity, stack->n + 1, sizeof(*stack->calls));
	memmove(&stack->calls[at + 1], &stack->calls[at], (stack->n - at) * sizeof(*stack->calls));
	stack->calls[at] = *call;
	stack->is_mixed &= stack->n > 0;
	stack->is_mixed |= (at > 0 && stack->calls[at - 1].cfa < call->cfa) ||
			   (at < stack->n && stack->calls[at + 1].cfa > call->cfa);
	stack->n++;
	return &stack->calls[at];
}

void call_stack_remove(struct call_stack *stack, struct open_call *call)
{
	size_t index = call - stack->calls;

	memmove(call, call + 1, (stack->n - index - 1) * sizeof(*call));
	stack->n--;
}
