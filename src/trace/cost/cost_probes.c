/*
 * Probes of cost functions: preparing, planting and lifting them. The catalogue lists the
 * functions.
 */
#include "cost_probes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/engine.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"

static unsigned metrics_of(enum cost_call_kind kind)
{
	unsigned bits = 0;
	enum metric metric;

	for (metric = 0; metric < METRIC_TOTALS; metric++)
		if (cost_call_is_wanted(kind, 1u << metric, true))
			bits |= 1u << metric;
	return bits;
}

static void cost_probe_destroy(struct cost_probe *probe)
{
	free(probe->exits);
	free(probe->jumps);
	free(probe);
}

static void probe_add(struct inferior *inferior, struct cost_probe *probe)
{
	struct cost_probes *probes = &inferior->cost;
	size_t i;

	probe->entry->cost_entry = probe;
	for (i = 0; i < probe->function->n_exits; i++)
		probe->exits[i]->cost_exit = probe;
	for (i = 0; i < probe->function->n_jumps; i++)
		probe->jumps[i]->cost_jump = probe;
	probes->list =
		mem_grow(probes->list, &probes->capacity, probes->n + 1, sizeof(*probes->list));
	probes->list[probes->n++] = probe;
}

static struct cost_probe *probe_create(const struct cost_function *function)
{
	struct cost_probe *probe = mem_alloc(sizeof(*probe));

	probe->function = function;
	probe->exits = mem_alloc((function->n_exits + 1) * sizeof(struct breakpoint *));
	probe->jumps = mem_alloc((function->n_jumps + 1) * sizeof(struct breakpoint *));
	return probe;
}

static bool cost_probe_prepare(struct inferior *inferior, pid_t tid,
			       const struct cost_function *function, struct cost_probe *probe,
			       struct err *err)
{
	const uint64_t bias = inferior->modules[function->module].load_bias;
	size_t i;

	for (i = 0; i < function->n_exits; i++)
		if (!breakpoint_prepare(inferior->breakpoints, tid,
					module_runtime(bias, function->exits[i]), &probe->exits[i],
					err))
			return false;
	for (i = 0; i < function->n_jumps; i++)
		if (!breakpoint_prepare(inferior->breakpoints, tid,
					module_runtime(bias, function->jumps[i].addr),
					&probe->jumps[i], err))
			return false;
	return breakpoint_prepare(inferior->breakpoints, tid,
				  module_runtime(bias, function->entry_addr), &probe->entry, err);
}

static void cost_probe_fail(struct inferior *inferior, const struct cost_function *function,
			    const char *why)
{
	struct session *session = inferior->session;
	const unsigned bits = metrics_of(function->kind);

	inferior->cost.failed |= bits;
	if (!(session->said_cost & bits))
		event_queue_note(
			session,
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

static void note_planted(struct cost_probes *probes, struct breakpoint *breakpoint)
{
	probes->planted = mem_grow(probes->planted, &probes->planted_capacity,
				   probes->n_planted + 1, sizeof(*probes->planted));
	probes->planted[probes->n_planted++] = breakpoint;
}

static void expect(struct cost_probes *probes, struct breakpoint *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!list[i]->for_cost)
			note_planted(probes, list[i]);
		list[i]->for_cost = true;
	}
}

static void plant_exits(struct inferior *inferior, pid_t tid)
{
	struct cost_probes *probes = &inferior->cost;

	for (size_t i = 0; i < probes->n; i++) {
		const struct cost_probe *probe = probes->list[i];

		expect(probes, probe->exits, probe->function->n_exits);
		expect(probes, probe->jumps, probe->function->n_jumps);
		breakpoint_plant_list_again(inferior->breakpoints, tid, probe->exits,
					    probe->function->n_exits);
		breakpoint_plant_list_again(inferior->breakpoints, tid, probe->jumps,
					    probe->function->n_jumps);
	}
}

void cost_probes_plant(struct inferior *inferior, pid_t tid)
{
	struct cost_probes *probes = &inferior->cost;
	struct breakpoint **list;
	size_t n = entries(probes, &list);
	size_t i;

	for (i = 0; i < n; i++)
		list[i]->for_cost = true;
	breakpoint_plant_list_again(inferior->breakpoints, tid, list, n);
	for (i = 0; i < n; i++)
		if (!list[i]->planted && !list[i]->padded)
			cost_probe_fail(inferior, probes->list[i]->function,
					"its code cannot be written");
	free(list);
	if (probes->lasting)
		plant_exits(inferior, tid);
	probes->open = true;
}

void cost_probes_last(struct inferior *inferior, pid_t tid)
{
	inferior->cost.lasting = true;
	cost_probes_plant(inferior, tid);
}

void cost_probes_module_comes(struct inferior *inferior, pid_t tid, unsigned module)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	struct cost_probe *probe;
	struct err err;
	size_t i;

	for (i = 0; i < catalogue->n_cost_functions; i++) {
		const struct cost_function *function = &catalogue->cost_functions[i];

		if (function->module != module || cost_call_is_hooked(function->kind))
			continue;
		probe = probe_create(function);
		if (cost_probe_prepare(inferior, tid, function, probe, &err)) {
			probe_add(inferior, probe);
		} else {
			cost_probe_destroy(probe);
			cost_probe_fail(inferior, function, err.text);
		}
	}
	if (inferior->cost.open)
		cost_probes_plant(inferior, tid);
}

static bool cost_probe_lies_in(const struct breakpoint *breakpoint, uint64_t low, uint64_t high)
{
	return breakpoint->address >= low && breakpoint->address < high;
}

void cost_probes_module_goes(struct inferior *inferior, uint64_t low, uint64_t high)
{
	struct cost_probes *probes = &inferior->cost;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < probes->n; i++) {
		if (!cost_probe_lies_in(probes->list[i]->entry, low, high)) {
			probes->list[kept++] = probes->list[i];
			continue;
		}
		cost_probe_destroy(probes->list[i]);
	}
	probes->n = kept;
	for (i = kept = 0; i < probes->n_planted; i++)
		if (!cost_probe_lies_in(probes->planted[i], low, high))
			probes->planted[kept++] = probes->planted[i];
	probes->n_planted = kept;
}

/* Lifts breakpoints without other users. */
static void cost_probe_let_go(struct cost_probe *probe)
{
	size_t i;

	probe->entry->for_cost = false;
	probe->entry->cost_entry = NULL;
	for (i = 0; i < probe->function->n_exits; i++) {
		probe->exits[i]->for_cost = false;
		probe->exits[i]->cost_exit = NULL;
	}
	for (i = 0; i < probe->function->n_jumps; i++) {
		probe->jumps[i]->for_cost = false;
		probe->jumps[i]->cost_jump = NULL;
	}
	cost_probe_destroy(probe);
}

void cost_probes_replace(struct inferior *inferior, find_cost_function *find, void *self)
{
	struct cost_probes *probes = &inferior->cost;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < probes->n; i++) {
		struct cost_probe *probe = probes->list[i];
		const struct cost_function *now = find(self, probe->function);

		if (!now) {
			cost_probe_let_go(probe);
			continue;
		}
		probe->function = now;
		probes->list[kept++] = probe;
	}
	probes->n = kept;
}

static void copy_probe(const struct cost_probe *probe, struct inferior *copy)
{
	struct cost_probe *twin = probe_create(probe->function);
	size_t i;

	twin->exits_planted = probe->exits_planted;
	twin->entry = breakpoint_find(copy->breakpoints, probe->entry->address);
	for (i = 0; i < probe->function->n_exits; i++)
		twin->exits[i] = breakpoint_find(copy->breakpoints, probe->exits[i]->address);
	for (i = 0; i < probe->function->n_jumps; i++)
		twin->jumps[i] = breakpoint_find(copy->breakpoints, probe->jumps[i]->address);
	probe_add(copy, twin);
}

void cost_probes_copy(const struct inferior *inferior, struct inferior *copy)
{
	const struct cost_probes *probes = &inferior->cost;
	size_t i;

	if (!copy->breakpoints)
		return;
	copy->cost.open = probes->open;
	copy->cost.lasting = probes->lasting;
	copy->cost.failed = probes->failed;
	for (i = 0; i < probes->n; i++)
		copy_probe(probes->list[i], copy);
	for (i = 0; i < probes->n_planted; i++)
		note_planted(&copy->cost,
			     breakpoint_find(copy->breakpoints, probes->planted[i]->address));
}

void cost_probes_forget(struct inferior *inferior)
{
	struct cost_probes *probes = &inferior->cost;
	size_t i;

	for (i = 0; i < probes->n; i++)
		cost_probe_destroy(probes->list[i]);
	free(probes->list);
	free(probes->planted);
	*probes = (struct cost_probes){.n = 0};
}

/* A program with operators new of its own may still have an unknown heap. */
static bool is_essential(const struct cost_function *function, enum metric metric)
{
	if (metric_set_from(METRIC_HEAP) & 1u << metric)
		return !strcmp(function->name, "malloc");
	return cost_call_is_wanted(function->kind, 1u << metric, false);
}

bool cost_probes_known(const struct inferior *inferior, enum metric metric)
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

/* Lift those of @n breakpoints that have no other users. */
static void give_back(struct inferior *inferior, pid_t tid, struct breakpoint **list, size_t n)
{
	size_t unused = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		list[i]->for_cost = false;
		if (!measured_wants(inferior, list[i]))
			list[unused++] = list[i];
	}
	breakpoint_lift_list(inferior->breakpoints, tid, list, unused);
}

void cost_probes_lift(struct inferior *inferior, pid_t tid)
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

void cost_probes_suspend(struct inferior *inferior)
{
	if (inferior->cost.lasting)
		return;
	inferior->cost.gaps += !inferior->cost.suspended;
	inferior->cost.suspended = true;
}

void cost_probes_resume(struct inferior *inferior)
{
	inferior->cost.suspended = false;
}

uint64_t cost_probes_mark(const struct inferior *inferior)
{
	return inferior->cost.suspended ? UINT64_MAX : inferior->cost.gaps;
}

bool cost_probes_noticed(const struct inferior *inferior, uint64_t mark)
{
	return mark == inferior->cost.gaps;
}

static bool plant_return(struct tracee *tracee, uint64_t return_address)
{
	struct inferior *inferior = tracee->inferior;
	struct breakpoint *breakpoint;
	struct err ignored;

	if (!breakpoint_plant_over(inferior->breakpoints, tracee->tid, return_address, &breakpoint,
				   &ignored))
		return false;
	expect(&inferior->cost, &breakpoint, 1);
	return true;
}

static bool plant_end(struct tracee *tracee, struct cost_probe *probe, uint64_t return_address)
{
	struct inferior *inferior = tracee->inferior;
	const struct cost_function *function = probe->function;
	bool planted = true;
	size_t i;

	if (inferior->cost.lasting && function->exits_known)
		return true;
	if (!function->n_exits || function->ends_elsewhere)
		return plant_return(tracee, return_address);
	if (probe->exits_planted)
		return true;
	expect(&inferior->cost, probe->exits, function->n_exits);
	breakpoint_plant_list_again(inferior->breakpoints, tracee->tid, probe->exits,
				    function->n_exits);
	for (i = 0; i < function->n_exits; i++)
		planted = planted && (probe->exits[i]->planted || probe->exits[i]->padded);
	probe->exits_planted = planted;
	return planted;
}

static bool say_if_not(struct tracee *tracee, const struct cost_probe *probe, bool planted)
{
	if (!planted)
		cost_probe_fail(tracee->inferior, probe->function, "its end cannot be probed");
	return planted;
}

bool cost_probes_await_end(struct tracee *tracee, struct cost_probe *probe, uint64_t return_address)
{
	return say_if_not(tracee, probe, plant_end(tracee, probe, return_address));
}

bool cost_probes_await_return(struct tracee *tracee, struct cost_probe *probe,
			      uint64_t return_address)
{
	return say_if_not(tracee, probe, plant_return(tracee, return_address));
}

/* What a thread has left to its pads may be long over: then it stays a while longer. */
void cost_probes_returned(const struct tracee *tracee, struct breakpoint *breakpoint)
{
	const struct tracee *other;

	if (!tracee->inferior->cost.lasting || breakpoint->cost_entry || breakpoint->cost_exit ||
	    breakpoint->cost_jump)
		return;
	for (other = tracee->inferior->session->tracees; other; other = other->hh.next)
		if (other != tracee && other->inferior == tracee->inferior &&
		    other->cost.function && other->cost.return_address == breakpoint->address)
			return;
	breakpoint->for_cost = false;
}
