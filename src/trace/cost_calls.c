/*
 * Probing cost functions and matching their calls. What a call means for a metric is left to the metric's owner, which
 * functions there are to the catalogue.
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

static unsigned metrics_of(enum cost_call_kind kind)
{
	unsigned bits = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_TOTALS; metric++)
		if (cost_call_is_wanted(kind, 1u << metric, true))
			bits |= 1u << metric;
	return bits;
}

static void probe_destroy(struct cost_probe *probe)
{
	free(probe->exits);
	free(probe);
}

static void probe_add(struct inferior *inferior, struct cost_probe *probe)
{
	struct cost_probes *probes = &inferior->cost;
	size_t i;

	probe->entry->cost_entry = probe;
	for (i = 0; i < probe->function->n_exits; i++)
		probe->exits[i]->cost_exit = probe;
	probes->list =
		mem_grow(probes->list, &probes->capacity, probes->n + 1, sizeof(*probes->list));
	probes->list[probes->n++] = probe;
}

static struct cost_probe *probe_create(const struct cost_function *function)
{
	struct cost_probe *probe = mem_alloc(sizeof(*probe));

	probe->function = function;
	probe->exits = mem_alloc((function->n_exits + 1) * sizeof(struct breakpoint *));
	return probe;
}

static bool prepare(struct inferior *inferior, pid_t tid, const struct cost_function *function,
		    struct cost_probe *probe, struct err *err)
{
	const uint64_t bias = inferior->modules[function->module].load_bias;
	size_t i;

	for (i = 0; i < function->n_exits; i++)
		if (!breakpoint_prepare(inferior->breakpoints, tid,
					module_runtime(bias, function->exits[i]), &probe->exits[i],
					err))
			return false;
	return breakpoint_prepare(inferior->breakpoints, tid,
				  module_runtime(bias, function->entry_addr), &probe->entry, err);
}

static void fail(struct inferior *inferior, const struct cost_function *function, const char *why)
{
	struct session *session = inferior->session;
	const unsigned bits = metrics_of(function->kind);

	inferior->cost.failed |= bits;
	if (!(session->said_cost & bits))
		session_note(session,
			     "calls of %s cannot be noticed, and what they cost is not known: %s",
			     function->name, why);
	session->said_cost |= bits;
}

static size_t entries(const struct cost_probes *probes, struct breakpoint ***ret)
{
	struct breakpoint **list = mem_alloc((probes->n + 1) * sizeof(*list));
	size_t i;

	for (i = 0; i < probes->n; i++)
		list[i] = probes->list[i]->entry;
	*ret = list;
	return probes->n;
}

static void plant(struct inferior *inferior, pid_t tid)
{
	struct cost_probes *probes = &inferior->cost;
	struct breakpoint **list;
	size_t n = entries(probes, &list);
	size_t i;

	for (i = 0; i < n; i++)
		list[i]->for_cost = true;
	breakpoints_plant_again(inferior->breakpoints, tid, list, n);
	for (i = 0; i < n; i++)
		if (!list[i]->planted)
			fail(inferior, probes->list[i]->function, "its code cannot be written");
	free(list);
	probes->open = true;
}

void cost_calls_module_comes(struct inferior *inferior, pid_t tid, unsigned module)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	struct cost_probe *probe;
	struct err err;
	size_t i;

	for (i = 0; i < catalogue->n_cost_functions; i++) {
		const struct cost_function *function = &catalogue->cost_functions[i];

		if (function->module != module)
			continue;
		probe = probe_create(function);
		if (prepare(inferior, tid, function, probe, &err)) {
			probe_add(inferior, probe);
		} else {
			probe_destroy(probe);
			fail(inferior, function, err.text);
		}
	}
	if (inferior->cost.open)
		plant(inferior, tid);
}

static bool lies_in(const struct breakpoint *breakpoint, uint64_t low, uint64_t high)
{
	return breakpoint->address >= low && breakpoint->address < high;
}

static void lose_in(struct inferior *inferior, const struct cost_probe *probe)
{
	struct tracee *tracee, *next;

	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && tracee->cost.function == probe->function)
			cost_calls_lose(tracee);
}

void cost_calls_module_goes(struct inferior *inferior, uint64_t low, uint64_t high)
{
	struct cost_probes *probes = &inferior->cost;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < probes->n; i++) {
		if (!lies_in(probes->list[i]->entry, low, high)) {
			probes->list[kept++] = probes->list[i];
			continue;
		}
		lose_in(inferior, probes->list[i]);
		probe_destroy(probes->list[i]);
	}
	probes->n = kept;
	for (i = kept = 0; i < probes->n_planted; i++)
		if (!lies_in(probes->planted[i], low, high))
			probes->planted[kept++] = probes->planted[i];
	probes->n_planted = kept;
}

static void copy_probe(const struct cost_probe *probe, struct inferior *copy)
{
	struct cost_probe *twin = probe_create(probe->function);
	size_t i;

	twin->exits_planted = probe->exits_planted;
	twin->entry = breakpoint_find(copy->breakpoints, probe->entry->address);
	for (i = 0; i < probe->function->n_exits; i++)
		twin->exits[i] = breakpoint_find(copy->breakpoints, probe->exits[i]->address);
	probe_add(copy, twin);
}

static void note_planted(struct cost_probes *probes, struct breakpoint *breakpoint)
{
	probes->planted = mem_grow(probes->planted, &probes->planted_capacity,
				   probes->n_planted + 1, sizeof(*probes->planted));
	probes->planted[probes->n_planted++] = breakpoint;
}

void cost_calls_copy(const struct inferior *inferior, struct inferior *copy)
{
	const struct cost_probes *probes = &inferior->cost;
	size_t i;

	if (!copy->breakpoints)
		return;
	copy->cost.open = probes->open;
	copy->cost.failed = probes->failed;
	for (i = 0; i < probes->n; i++)
		copy_probe(probes->list[i], copy);
	for (i = 0; i < probes->n_planted; i++)
		note_planted(&copy->cost,
			     breakpoint_find(copy->breakpoints, probes->planted[i]->address));
}

void cost_calls_forget(struct inferior *inferior)
{
	struct cost_probes *probes = &inferior->cost;
	size_t i;

	for (i = 0; i < probes->n; i++)
		probe_destroy(probes->list[i]);
	free(probes->list);
	free(probes->planted);
	*probes = (struct cost_probes){.n = 0};
}

/* A program may have operators new of its own and a heap nevertheless that nobody knows. */
static bool is_essential(const struct cost_function *function, enum metric metric)
{
	if (metric == METRIC_MEM || metric == METRIC_PEAK)
		return !strcmp(function->name, "malloc");
	return cost_call_is_wanted(function->kind, 1u << metric, false);
}

bool cost_calls_known(const struct inferior *inferior, enum metric metric)
{
	const struct cost_probes *probes = &inferior->cost;
	size_t i;

	if (probes->failed & 1u << metric)
		return false;
	for (i = 0; i < probes->n; i++)
		if (is_essential(probes->list[i]->function, metric))
			return true;
	return false;
}

/* Of @n breakpoints those that nobody else uses are lifted. */
static void give_back(struct inferior *inferior, pid_t tid, struct breakpoint **list, size_t n)
{
	size_t unused = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		list[i]->for_cost = false;
		if (!gates_want(inferior, list[i]))
			list[unused++] = list[i];
	}
	breakpoints_lift(inferior->breakpoints, tid, list, unused);
}

static void lift(struct inferior *inferior, pid_t tid)
{
	struct cost_probes *probes = &inferior->cost;
	struct breakpoint **list;
	size_t n = entries(probes, &list);
	size_t i;

	give_back(inferior, tid, list, n);
	give_back(inferior, tid, probes->planted, probes->n_planted);
	probes->n_planted = 0;
	for (i = 0; i < probes->n; i++)
		probes->list[i]->exits_planted = false;
	free(list);
	probes->open = false;
	probes->period++;
}

/* Must the probes be planted now? Calls that have ended only keep them. */
static bool is_probing(const struct inferior *inferior)
{
	return !inferior->cost.suspended &&
	       (inferior->n_open || (inferior->cost.open && lock_calls_linger(inferior)));
}

void cost_calls_suspend(struct inferior *inferior)
{
	inferior->cost.gaps += !inferior->cost.suspended;
	inferior->cost.suspended = true;
}

void cost_calls_resume(struct inferior *inferior)
{
	inferior->cost.suspended = false;
}

uint64_t cost_calls_mark(const struct inferior *inferior)
{
	return inferior->cost.suspended ? UINT64_MAX : inferior->cost.gaps;
}

bool cost_calls_noticed(const struct inferior *inferior, uint64_t mark)
{
	return mark == inferior->cost.gaps;
}

void cost_calls_settle(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;

	if (inferior && !tracee->calls.n)
		allocations_forget(tracee);
	if (!inferior || !inferior->breakpoints || !inferior->cost.n ||
	    inferior->session->leaving || inferior->cost.open == is_probing(inferior))
		return;
	if (is_probing(inferior)) {
		plant(inferior, tracee->tid);
	} else {
		lift(inferior, tracee->tid);
		lock_calls_lifted(inferior);
	}
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

/* Wait for the end of the open cost call. */
static bool plant_end(struct tracee *tracee, struct cost_probe *probe)
{
	struct inferior *inferior = tracee->inferior;
	struct breakpoint *breakpoint;
	struct err ignored;
	bool planted = true;
	size_t i;

	if (!probe->function->n_exits) {
		if (!breakpoint_plant(inferior->breakpoints, tracee->tid,
				      tracee->cost.return_address, &breakpoint, &ignored))
			return false;
		if (!breakpoint->for_cost)
			note_planted(&inferior->cost, breakpoint);
		breakpoint->for_cost = true;
		return true;
	}
	if (probe->exits_planted)
		return true;
	for (i = 0; i < probe->function->n_exits; i++) {
		if (!probe->exits[i]->for_cost)
			note_planted(&inferior->cost, probe->exits[i]);
		probe->exits[i]->for_cost = true;
	}
	breakpoints_plant_again(inferior->breakpoints, tracee->tid, probe->exits,
				probe->function->n_exits);
	for (i = 0; i < probe->function->n_exits; i++)
		planted = planted && probe->exits[i]->planted;
	probe->exits_planted = planted;
	return planted;
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
	if (!plant_end(tracee, probe)) {
		fail(tracee->inferior, probe->function, "its end cannot be probed");
		lose(tracee);
	}
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

/* The owners of metrics. */

static void tell_begin(struct tracee *tracee)
{
	switch (tracee->cost.function->kind) {
	case COST_ALLOCATE:
	case COST_ALLOCATE_ARRAY:
	case COST_ALLOCATE_ALIGNED:
	case COST_ALLOCATE_INTO:
	case COST_REALLOCATE:
	case COST_REALLOCATE_ARRAY:
	case COST_FREE:
	case COST_MAP:
	case COST_UNMAP:
		allocations_begin(tracee);
		break;
	case COST_LOCK_TAKE:
	case COST_LOCK_TAKE_SPIN:
	case COST_LOCK_TRY:
	case COST_LOCK_RELEASE:
	case COST_LOCK_RELEASE_SPIN:
	case COST_CONDITION_WAIT:
	case COST_SEMAPHORE_WAIT:
		lock_calls_operation_begins(tracee);
		break;
	case COST_KIND_COUNT:
		break;
	}
}

/* The result is in rax. */
static void tell_end(struct tracee *tracee)
{
	switch (tracee->cost.function->kind) {
	case COST_ALLOCATE:
	case COST_ALLOCATE_ARRAY:
	case COST_ALLOCATE_ALIGNED:
	case COST_ALLOCATE_INTO:
	case COST_REALLOCATE:
	case COST_REALLOCATE_ARRAY:
	case COST_FREE:
	case COST_MAP:
	case COST_UNMAP:
		allocations_end(tracee);
		break;
	case COST_LOCK_TAKE:
	case COST_LOCK_TAKE_SPIN:
	case COST_LOCK_TRY:
	case COST_LOCK_RELEASE:
	case COST_LOCK_RELEASE_SPIN:
	case COST_CONDITION_WAIT:
	case COST_SEMAPHORE_WAIT:
		lock_calls_operation_ends(tracee);
		break;
	case COST_KIND_COUNT:
		break;
	}
}

/* An allocation that is left, by an exception for example, is no failure. */
static void tell_lost(struct tracee *tracee)
{
	lock_calls_operation_lost(tracee);
}
