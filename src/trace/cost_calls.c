/*
 * Matching cost calls with their ends. Where probes are is cost_probes.c's matter, what a call means for a metric its
 * owner's.
 */
#include "trace/cost_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/allocations.h"
#include "trace/engine.h"

static void tell_begin(struct tracee *tracee);
static void tell_end(struct tracee *tracee);
static void tell_lost(struct tracee *tracee);

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

int64_t cost_calls_run_ns(const struct tracee *tracee)
{
	const struct cost_call *call = &tracee->cost;
	const struct calibration *calibration = &tracee->inferior->session->account.calibration;
	double own_us = calibration->pair[METRIC_TIME] +
			calibration->stop[METRIC_TIME] * (double)(tracee->stops - call->stops - 1);
	int64_t ns = (int64_t)(tracee->stop_ns - call->start_ns) -
		     (int64_t)(tracee->stopped_ns - call->stopped_ns) - (int64_t)(own_us * 1000);

	return !call->began && ns > 0 ? ns : 0;
}

static uint64_t read_word(const struct tracee *tracee, uint64_t address)
{
	const struct target *target = &tracee->inferior->session->target;
	uint64_t word;
	struct memory_read read = {.address = address, .to = &word, .size = sizeof(word)};

	target->ops->read(target->self, tracee->tid, &read, 1);
	return read.ok ? word : 0;
}

/*
 * A cost call begins at @cfa: is it within the open one? Its frame is gone if the return address was overwritten, or
 * if the new one is above it on its stack. At the same place it is what the open one went on with, by a jump,
 * unless it is a call of the same function.
 */
bool cost_calls_contain(const struct tracee *tracee, const struct cost_function *function,
			uint64_t cfa)
{
	const struct cost_call *open = &tracee->cost;

	if (!open->function || open->period != tracee->inferior->cost.period ||
	    read_word(tracee, open->cfa - 8) != open->return_address)
		return false;
	if (cfa == open->cfa)
		return function != open->function || function->kind == COST_LOCK_TAKE_SPIN;
	return cfa < open->cfa ||
	       stacks_identity(tracee, cfa - 8) != stacks_identity(tracee, open->cfa - 8);
}

/* The call in which the open one was, if any, goes on. */
static void leave(struct tracee *tracee)
{
	tracee->cost = tracee->outer_cost;
	tracee->outer_cost.function = NULL;
}

static void lose(struct tracee *tracee)
{
	tell_lost(tracee);
	leave(tracee);
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

static void end(struct tracee *tracee)
{
	tell_end(tracee);
	leave(tracee);
}

void cost_calls_end(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct cost_call *call = &tracee->cost;

	if (!call->function || call->period != tracee->inferior->cost.period)
		return;
	if (breakpoint->cost_exit && breakpoint->cost_exit->function == call->function &&
	    tracee->registers.rsp + 8 == call->cfa)
		end(tracee);
	else if (!call->function->n_exits && breakpoint->address == call->return_address &&
		 tracee->registers.rsp == call->cfa)
		end(tracee);
}

static void begin(struct tracee *tracee, struct cost_probe *probe, uint64_t cfa)
{
	const struct user_regs_struct *registers = &tracee->registers;

	tracee->cost = (struct cost_call){
		.function = probe->function,
		.arguments = {registers->rdi, registers->rsi, registers->rdx, registers->rcx},
		.cfa = cfa,
		.return_address = read_word(tracee, cfa - 8),
		.began = true,
		.period = tracee->inferior->cost.period,
	};
	tell_begin(tracee);
	if (!cost_probes_await_end(tracee, probe, tracee->cost.return_address))
		lose(tracee);
}

/* Is a cost call of @kind of interest in a thread without an open measured call? */
static bool concerns_all(const struct tracee *tracee, enum cost_call_kind kind)
{
	return (tracee->inferior->n_open && allocations_concern_all(tracee, kind)) ||
	       lock_calls_matter(tracee, kind);
}

/*
 * An allocator's locks are locks, and a signal handler may allocate while a lock is waited for; otherwise what is within the
 * open call is a part of it.
 */
static bool may_interrupt(const struct tracee *tracee, enum cost_call_kind kind)
{
	return lock_calls_has(kind) != lock_calls_has(tracee->cost.function->kind) &&
	       !tracee->outer_cost.function;
}

/*
 * A cost function that is measured itself may be probed behind its prologue, which leaves the arguments where they
 * are: the cost call is a part of the measured one.
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
	if (tracee->cost.function && !may_interrupt(tracee, probe->function->kind))
		return;
	tracee->outer_cost = tracee->cost;
	begin(tracee, probe, cfa);
}

void cost_calls_take_back(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct cost_probe *probe = breakpoint->cost_entry;
	uint64_t cfa = tracee->registers.rsp + 8;

	if (!probe && (probe = probe_of_measured(tracee, breakpoint)))
		cfa = newest_cfa(tracee);
	if (probe && tracee->cost.function == probe->function && tracee->cost.cfa == cfa)
		leave(tracee);
}

/* The owners of metrics: what is no operation on a lock is one on the heap. */

static void tell_begin(struct tracee *tracee)
{
	if (lock_calls_has(tracee->cost.function->kind))
		lock_calls_operation_begins(tracee);
	else
		allocations_begin(tracee);
}

/* The result is in rax. */
static void tell_end(struct tracee *tracee)
{
	if (lock_calls_has(tracee->cost.function->kind))
		lock_calls_operation_ends(tracee);
	else
		allocations_end(tracee);
}

/* An allocation that is left, by an exception for example, is no failure. */
static void tell_lost(struct tracee *tracee)
{
	lock_calls_operation_lost(tracee);
}
