/*
 * Matching cost calls with their ends. cost_probes.c places the probes; allocations.c,
 * lock_calls.c and transfers.c turn the calls into metrics.
 */
#include "cost_calls.h"

#include "allocations.h"
#include "trace/probe/breakpoint.h"
#include "cost_probes.h"
#include "trace/state/engine.h"
#include "lock_calls.h"
#include "trace/state/stack_regions.h"
#include "transfers.h"

const struct cost_function *cost_calls_numbered(const struct tracee *tracee, uint64_t number)
{
	const struct catalogue *catalogue = tracee->inferior->image->catalogue;

	return number && number <= catalogue->n_cost_functions
		       ? &catalogue->cost_functions[number - 1]
		       : NULL;
}

/* Dispatch by metric: whatever is no lock operation and no transfer is one on the heap. */

static void tell_begin(struct tracee *tracee)
{
	if (lock_calls_has(tracee->cost.function->kind))
		lock_calls_operation_begins(tracee);
	else if (transfers_have(tracee->cost.function->kind))
		transfers_begin(tracee);
	else
		allocations_begin(tracee, &tracee->cost);
}

/* The result is in rax. */
static void tell_end(struct tracee *tracee)
{
	if (lock_calls_has(tracee->cost.function->kind))
		lock_calls_operation_ends(tracee);
	else if (transfers_have(tracee->cost.function->kind))
		transfers_end(tracee);
	else
		allocations_end(tracee, &tracee->cost, allocations_result(tracee, &tracee->cost),
				allocations_asked(&tracee->cost));
}

/* An allocation left by an exception, say, has not failed. */
static void tell_lost(struct tracee *tracee)
{
	lock_calls_operation_lost(tracee);
}

void cost_calls_start_clock(struct tracee *tracee, uint64_t resumed_ns)
{
	struct cost_call *call = &tracee->cost;

	if (!call->function || !call->began)
		return;
	call->began = false;
	call->start_ns = resumed_ns;
	call->stopped_ns = tracee->stopped_ns;
	call->stops = tracee->stops;
}

/*
 * Is a cost call that begins at @cfa within the open one? The open one's frame is gone if its
 * return address was overwritten, or if the new frame is above it on the same stack. A frame at the
 * same place continues it by a jump, unless the function is the same.
 */
static bool cost_calls_contain(const struct tracee *tracee, const struct cost_function *function,
			       uint64_t cfa)
{
	const struct cost_call *open = &tracee->cost;

	if (!open->function || open->period != tracee->inferior->cost.period ||
	    stack_regions_return_address(tracee, open->cfa) != open->return_address)
		return false;
	if (cfa == open->cfa)
		return function != open->function || function->kind == COST_LOCK_TAKE_SPIN;
	return cfa < open->cfa || stack_regions_identity(tracee, cfa - 8) !=
					  stack_regions_identity(tracee, open->cfa - 8);
}

/* A measured allocator begins with its own cost call, but is not within it. */
bool cost_calls_allocate(const struct tracee *tracee, const struct function *function, uint64_t cfa)
{
	const struct cost_call *open = &tracee->cost;

	if (!open->function || !cost_call_is_wanted(open->function->kind, 1u << METRIC_PEAK, true))
		return false;
	if (open->cfa == cfa && open->function->module == function->module &&
	    open->function->entry_addr == function->entry_addr)
		return false;
	return cost_calls_contain(tracee, NULL, cfa);
}

/* Go on with the outer cost call, if any. */
static void cost_call_leave(struct tracee *tracee)
{
	tracee->cost = tracee->outer_cost;
	tracee->outer_cost.function = NULL;
}

static void lose(struct tracee *tracee)
{
	tell_lost(tracee);
	cost_call_leave(tracee);
}

void cost_calls_lose(struct tracee *tracee)
{
	while (tracee->cost.function)
		lose(tracee);
}

void cost_calls_lose_since(struct tracee *tracee, uint64_t start_ns)
{
	while (tracee->cost.function && !tracee->cost.began && tracee->cost.start_ns > start_ns)
		lose(tracee);
}

void cost_calls_module_goes(struct inferior *inferior, unsigned module)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->cost.function &&
		    tracee->cost.function->module == module)
			cost_calls_lose(tracee);
}

static void rename_open(struct tracee *tracee, find_cost_function *find, void *self)
{
	const struct cost_function *outer = tracee->outer_cost.function;
	const struct cost_function *now;

	if (!tracee->cost.function)
		return;
	now = find(self, tracee->cost.function);
	if (!now) {
		cost_calls_lose(tracee);
		return;
	}
	tracee->cost.function = now;
	if (outer && (now = find(self, outer)))
		tracee->outer_cost.function = now;
}

void cost_calls_replace(struct inferior *inferior, find_cost_function *find, void *self)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior)
			rename_open(tracee, find, self);
}

static void cost_call_end(struct tracee *tracee)
{
	tell_end(tracee);
	cost_call_leave(tracee);
}

static void cost_call_return(struct tracee *tracee, struct breakpoint *breakpoint)
{
	cost_call_end(tracee);
	cost_probes_returned(tracee, breakpoint);
}

/*
 * Whatever returns from a call's frame ends it: it may have gone on there by a jump. But free(),
 * whose beginning says nothing of that frame, may be called after it was left by an exception.
 */
void cost_calls_end(struct tracee *tracee, struct breakpoint *breakpoint)
{
	const struct cost_call *call = &tracee->cost;

	if (!call->function || call->period != tracee->inferior->cost.period)
		return;
	if (breakpoint->cost_jump && tracee->registers.rsp + 8 == call->cfa)
		cost_probes_await_return(tracee, breakpoint->cost_jump, call->return_address);
	else if (breakpoint->cost_exit && tracee->registers.rsp + 8 == call->cfa &&
		 breakpoint->cost_exit->function->kind != COST_FREE)
		cost_call_end(tracee);
	else if (breakpoint->for_cost && breakpoint->address == call->return_address &&
		 tracee->registers.rsp == call->cfa)
		cost_call_return(tracee, breakpoint);
}

static void cost_call_begin(struct tracee *tracee, struct cost_probe *probe, uint64_t cfa)
{
	const struct user_regs_struct *registers = &tracee->registers;

	tracee->cost = (struct cost_call){
		.function = probe->function,
		.arguments = {registers->rdi, registers->rsi, registers->rdx, registers->rcx},
		.cfa = cfa,
		.return_address = stack_regions_return_address(tracee, cfa),
		.began = true,
		.period = tracee->inferior->cost.period,
	};
	tell_begin(tracee);
	if (!cost_probes_await_end(tracee, probe, tracee->cost.return_address))
		lose(tracee);
}

/*
 * Are transfers watched while no call is open? Always by pads; by stops only where all that is
 * watched are transfers, as each allocation would be a stop.
 */
static bool watches_between(const struct inferior *inferior)
{
	const unsigned totals = metric_totals(inferior->session->options.metrics);
	const unsigned others = metric_set_from(METRIC_HEAP) | metric_set_from(METRIC_BLOCKS) |
				metric_set_from(METRIC_LOCKS);

	return totals & metric_set_from(METRIC_STREAMS) &&
	       (inferior->cost.lasting || !(totals & others));
}

/* Do cost calls of @kind matter in a thread without an open measured call? */
static bool concerns_all(const struct tracee *tracee, enum cost_call_kind kind)
{
	const struct inferior *inferior = tracee->inferior;

	/* calls that pads follow are not counted */
	return ((inferior->n_open || inferior->cost.lasting) &&
		allocations_concern_all(tracee, kind)) ||
	       lock_calls_matter(tracee, kind) ||
	       (transfers_have(kind) && watches_between(inferior));
}

/*
 * An allocator's locks are locks, and a signal handler may allocate during a wait for a lock;
 * anything else within the open call is part of it.
 */
static bool may_interrupt(const struct tracee *tracee, enum cost_call_kind kind)
{
	return lock_calls_has(kind) != lock_calls_has(tracee->cost.function->kind) &&
	       !tracee->outer_cost.function;
}

/*
 * A measured cost function may be probed behind its prologue, which keeps the arguments: the cost
 * call is part of the measured one.
 */
static struct cost_probe *probe_of_measured(const struct tracee *tracee,
					    const struct breakpoint *breakpoint)
{
	const struct inferior *inferior = tracee->inferior;
	const struct function *function;
	const struct breakpoint *first;

	if (breakpoint->entry_of < 0 || !tracee->calls.n)
		return NULL;
	function = inferior->image->functions[breakpoint->entry_of].function;
	if (!inferior->cost.n || function->entry_addr == function->probe_addr)
		return NULL;
	first = breakpoint_find(inferior->breakpoints,
				module_runtime(inferior->modules[function->module].load_bias,
					       function->entry_addr));
	return first ? first->cost_entry : NULL;
}

static uint64_t newest_cfa(const struct tracee *tracee)
{
	return tracee->calls.calls[tracee->calls.n - 1].cfa;
}

void cost_calls_begin(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	struct cost_probe *probe = breakpoint->cost_entry;
	uint64_t cfa = tracee->registers.rsp + 8;

	if (!probe && tracee->call_began && (probe = probe_of_measured(tracee, breakpoint)))
		cfa = newest_cfa(tracee);
	if (!probe)
		return;
	if (!tracee->inferior->n_open)
		lock_calls_disturb(tracee);
	if (!tracee->calls.n && !concerns_all(tracee, probe->function->kind))
		return;
	if (probe->function->kind == COST_FREE) {
		allocations_free(tracee, tracee->registers.rdi);
		return;
	}
	while (tracee->cost.function && !cost_calls_contain(tracee, probe->function, cfa))
		lose(tracee);
	if (tracee->cost.function && !may_interrupt(tracee, probe->function->kind)) {
		if (cfa == tracee->cost.cfa && !probe->function->exits_known)
			cost_probes_await_return(tracee, probe, tracee->cost.return_address);
		return;
	}
	tracee->outer_cost = tracee->cost;
	cost_call_begin(tracee, probe, cfa);
}

void cost_calls_take_back(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct cost_probe *probe = breakpoint->cost_entry;
	uint64_t cfa = tracee->registers.rsp + 8;

	if (!probe && (probe = probe_of_measured(tracee, breakpoint)))
		cfa = newest_cfa(tracee);
	if (probe && tracee->cost.function == probe->function && tracee->cost.cfa == cfa)
		cost_call_leave(tracee);
}

/* Must probes be planted now? Calls that ended can only keep them. */
static bool is_probing(const struct inferior *inferior)
{
	return inferior->cost.lasting || (!inferior->cost.suspended &&
					  (inferior->n_open || watches_between(inferior) ||
					   (inferior->cost.open && lock_calls_linger(inferior))));
}

void cost_calls_settle(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;

	if (inferior)
		allocations_forget(tracee);
	if (!inferior || !inferior->breakpoints || !inferior->cost.n ||
	    inferior->session->leaving || inferior->cost.open == is_probing(inferior))
		return;
	if (is_probing(inferior)) {
		cost_probes_plant(inferior, tracee->tid);
	} else {
		cost_probes_lift(inferior, tracee->tid);
		lock_calls_lifted(inferior);
	}
}
