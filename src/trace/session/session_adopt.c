/* Adopting calls that began before they were seen: counts start now. call_matching.c ends them. */
#include <string.h>

#include "base/mem.h"
#include "trace/call/call_stack.h"
#include "trace/call/call_matching.h"
#include "trace/call/call_counters.h"
#include "trace/state/engine.h"
#include "trace/call/probe_control.h"
#include "trace/session_halt.h"
#include "trace/state/stack_regions.h"
#include "trace/state/tracee_table.h"

/* Counts start at this stop. */
static void adopted_start(struct tracee *tracee, struct open_call *call)
{
	call->start_ns = tracee->stop_ns;
	call->stopped_ns = tracee->stopped_ns;
	call->stops = tracee->stops;
	call->far_stops = tracee->far_stops;
	call_counters_begin(tracee, call);
}

/* How many open calls are outside of a frame at @cfa on @stack. */
static size_t adopted_place_of(const struct call_stack *calls, uint64_t cfa, uint64_t stack)
{
	size_t at = calls->n;

	while (at > 0 && calls->calls[at - 1].stack == stack && calls->calls[at - 1].cfa <= cfa)
		at--;
	return at;
}

static bool can_be_adopted(const struct tracee *tracee, const struct session_adoption *adoption)
{
	const struct inferior *inferior = tracee ? tracee->inferior : NULL;

	return inferior && tracee->stopped && tracee->role == TRACEE_THREAD && inferior->image &&
	       inferior->image->index == adoption->image && inferior->breakpoints &&
	       adoption->function < inferior->image->catalogue->n_functions &&
	       !inferior->image->functions[adoption->function].function->unmeasurable;
}

/* The call may have reached branches before. */
static void doubt_branches(struct open_call *call)
{
	call->branch_gaps--;
}

bool session_adopt(struct session *session, const struct session_adoption *adoption)
{
	struct tracee *tracee = tracee_find(session, adoption->thread);
	struct open_call call = {.function = adoption->function,
				 .cfa = adoption->cfa,
				 .return_address = adoption->return_address,
				 .rank = call_matching_draw(session),
				 .adopted = true,
				 .adopted_at_most_ns = adoption->at_most_ns};
	size_t n;

	if (!session->halted || !can_be_adopted(tracee, adoption) ||
	    call_stack_find(&tracee->calls, adoption->function, adoption->cfa))
		return false;
	call.stack = stack_regions_identity(tracee, call.cfa - 8);
	n = tracee->inferior->image->functions[call.function].function->n_features;
	call.features = mem_alloc((n + 1) * sizeof(*call.features));
	memcpy(call.features, adoption->features, n * sizeof(*call.features));
	call_matching_open(tracee, &call);
	doubt_branches(&call);
	adopted_start(tracee, &call);
	probe_control_keep_end(tracee->inferior, tracee->tid, &call);
	call_stack_insert(&tracee->calls, &call,
			  adopted_place_of(&tracee->calls, call.cfa, call.stack));
	return true;
}
