/* Open calls that will never end: release their return breakpoints and free them. */
#include "calls_abandon.h"

#include <stdlib.h>

#include "trace/probe/breakpoint.h"
#include "call_stack.h"
#include "trace/cost/cost_calls.h"
#include "trace/state/callee_sums.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"
#include "call_metrics.h"

void calls_abandon_release_return(struct inferior *inferior, pid_t tid, uint64_t pc)
{
	struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, pc);

	if (!breakpoint || !breakpoint->returns)
		return;
	breakpoint->returns--;
	if (!measured_wants(inferior, breakpoint) ||
	    (breakpoint->padded && !breakpoint->kept && !breakpoint->returns))
		breakpoint_lift(inferior->breakpoints, tid, breakpoint);
}

void calls_abandon_release(struct inferior *inferior, pid_t tid, const struct open_call *call)
{
	if (!inferior->breakpoints)
		return;
	if (call->return_pc && !call->unplanted)
		calls_abandon_release_return(inferior, tid, call->return_pc);
	if (call->kept_pc)
		calls_abandon_release_return(inferior, tid, call->kept_pc);
}

/* An adopted call was asked for by the user, who waits for its end. */
static void say_lost(struct inferior *inferior, pid_t tid, const struct open_call *call)
{
	struct session *session = inferior->session;

	if (session->leaving || session->over || session->ended)
		return;
	event_queue_note(session,
			 "the call of %s that thread %d was in has ended without a return that was "
			 "seen: by an exception or the like, or with the thread",
			 inferior->image->functions[call->function].function->name, (int)tid);
}

void calls_abandon(struct inferior *inferior, pid_t tid, struct call_stack *stack,
		   struct open_call *call)
{
	calls_abandon_release(inferior, tid, call);
	inferior->image->functions[call->function].account.abandoned++;
	call_metrics_lost(stack, call);
	if (call->adopted)
		say_lost(inferior, tid, call);
	inferior->n_open -= stack != &inferior->orphans;
	free(call->features);
	free(call->branches);
	callee_sums_destroy(call->callees);
	call_stack_remove(stack, call);
}

void calls_abandon_all(struct tracee *tracee)
{
	while (tracee->calls.n)
		calls_abandon(tracee->inferior, tracee->tid, &tracee->calls,
			      &tracee->calls.calls[tracee->calls.n - 1]);
	cost_calls_lose(tracee);
}

void calls_abandon_at_end(struct tracee *tracee)
{
	for (size_t i = 0; i < tracee->calls.n; i++)
		tracee->inferior->image->functions[tracee->calls.calls[i].function]
			.account.unended++;
	calls_abandon_all(tracee);
}

static void abandon_return(struct inferior *inferior, pid_t tid, struct call_stack *stack,
			   uint64_t pc)
{
	size_t i;

	for (i = stack->n; i > 0; i--)
		if (stack->calls[i - 1].return_pc == pc || stack->calls[i - 1].kept_pc == pc) {
			inferior->image->functions[stack->calls[i - 1].function].given_up++;
			calls_abandon(inferior, tid, stack, &stack->calls[i - 1]);
		}
}

void calls_abandon_return(struct inferior *inferior, pid_t tid, uint64_t pc)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior)
			abandon_return(inferior, tid, &tracee->calls, pc);
	abandon_return(inferior, tid, &inferior->orphans, pc);
}

static bool lies_in(const struct inferior *inferior, const struct open_call *call, unsigned module)
{
	const struct inferior_module *where = &inferior->modules[module];

	return inferior->image->functions[call->function].function->module == module ||
	       (call->return_pc >= where->low && call->return_pc < where->high) ||
	       (call->kept_pc >= where->low && call->kept_pc < where->high);
}

static void abandon_in_module(struct inferior *inferior, pid_t tid, struct call_stack *stack,
			      unsigned module)
{
	size_t i;

	for (i = stack->n; i > 0; i--)
		if (lies_in(inferior, &stack->calls[i - 1], module))
			calls_abandon(inferior, tid, stack, &stack->calls[i - 1]);
}

void calls_abandon_module(struct inferior *inferior, unsigned module)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior)
			abandon_in_module(inferior, tracee->tid, &tracee->calls, module);
	abandon_in_module(inferior, inferior->pid, &inferior->orphans, module);
}
