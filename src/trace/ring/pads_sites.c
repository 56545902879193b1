/* From the catalogue's jump sites to those of an inferior, with what is to be probed there. */
#include "pads.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pads_jumps.h"
#include "trace/call/branches.h"
#include "trace/cost/cost_probes.h"
#include "trace/cost/lock_calls.h"
#include "trace/cost/transfers.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/measured.h"

/* Sites to plan, each with its breakpoint. */
struct sites {
	struct pad_site *list;
	size_t n, capacity;
};

static bool is_for_more(const struct breakpoint *breakpoint)
{
	return breakpoint->for_blocks || breakpoint->first_of >= 0 || breakpoint->line_of >= 0 ||
	       breakpoint->hook || breakpoint->of_loader || measured_is_of_cost(breakpoint);
}

/* A pad does what a function's own probe does, and nothing else that a breakpoint is for. */
static bool can_be_padded(const struct breakpoint *breakpoint)
{
	return breakpoint && !breakpoint->padded && !breakpoint->returns &&
	       !is_for_more(breakpoint);
}

static bool is_no_probe(const struct breakpoint *breakpoint)
{
	return !breakpoint->padded && !breakpoint->returns && breakpoint->entry_of < 0 &&
	       breakpoint->exit_of < 0 && breakpoint->branch_of < 0 && breakpoint->first_of < 0 &&
	       breakpoint->line_of < 0 && !breakpoint->for_blocks && !breakpoint->of_loader;
}

/* Nor does one of a cost function, or one that tells of calls that are left. */
static bool can_be_padded_for_cost(const struct breakpoint *breakpoint)
{
	return breakpoint && is_no_probe(breakpoint) && !breakpoint->hook;
}

static bool can_be_padded_as_hook(const struct inferior *inferior,
				  const struct breakpoint *breakpoint)
{
	return breakpoint && is_no_probe(breakpoint) && breakpoint->hook &&
	       !measured_is_of_cost(breakpoint) && measured_wants(inferior, breakpoint);
}

/* A branch out of its function, where nothing marks the tail call? */
static bool is_tail_missed(const struct sites *sites, const struct breakpoint *breakpoint,
			   const struct pad_site *like)
{
	if (like->kind == PAD_TAIL || breakpoint->exit_of < 0 ||
	    breakpoint->exit_kind == EXIT_RETURN)
		return false;
	for (size_t i = sites->n; i > 0; i--)
		if (sites->list[i - 1].kind == PAD_TAIL &&
		    sites->list[i - 1].pc == breakpoint->address)
			return false;
	return true;
}

static void put_site(struct inferior *inferior, struct sites *sites, uint64_t bias, uint64_t addr,
		     const struct jump_site *site, const struct pad_site *like)
{
	if (!site->size ||
	    pads_jumps_is_spoiled(inferior->pads, module_runtime(bias, site->addr)) ||
	    (site->lender_size &&
	     pads_jumps_is_spoiled(inferior->pads, module_runtime(bias, site->lender_addr))))
		return;
	sites->list = mem_grow(sites->list, &sites->capacity, sites->n + 1, sizeof(*sites->list));
	sites->list[sites->n] = *like;
	/* a run behind an endbr64 begins behind the probe address */
	sites->list[sites->n].pc = module_runtime(bias, addr > site->addr ? addr : site->addr);
	sites->list[sites->n].run = module_runtime(bias, site->addr);
	if (site->gap_addr)
		sites->list[sites->n].gap = module_runtime(bias, site->gap_addr);
	if (site->lender_size)
		sites->list[sites->n].lender = module_runtime(bias, site->lender_addr);
	sites->list[sites->n].lender_size = site->lender_size;
	sites->list[sites->n].closed = site->closed;
	sites->list[sites->n++].size = site->size;
}

static void add_site(struct inferior *inferior, struct sites *sites, uint64_t addr,
		     const struct jump_site *site, const struct pad_site *like)
{
	const struct measured_function *measured =
		&inferior->image->functions[like->function->number];
	const uint64_t bias = inferior->modules[measured->function->module].load_bias;
	const struct breakpoint *breakpoint =
		breakpoint_find(inferior->breakpoints, module_runtime(bias, addr));

	if (can_be_padded(breakpoint) && !is_tail_missed(sites, breakpoint, like))
		put_site(inferior, sites, bias, addr, site, like);
}

static void add_cost_site(struct inferior *inferior, struct sites *sites, uint64_t bias,
			  uint64_t addr, const struct jump_site *site, const struct pad_site *like)
{
	if (can_be_padded_for_cost(
		    breakpoint_find(inferior->breakpoints, module_runtime(bias, addr))))
		put_site(inferior, sites, bias, addr, site, like);
}

static void add_hook_site(struct inferior *inferior, struct sites *sites, uint64_t bias,
			  uint64_t addr, const struct jump_site *site, const struct pad_site *like)
{
	if (can_be_padded_as_hook(
		    inferior, breakpoint_find(inferior->breakpoints, module_runtime(bias, addr))))
		put_site(inferior, sites, bias, addr, site, like);
}

static void add_hooks(struct inferior *inferior, struct sites *sites,
		      const struct cost_function *function)
{
	static const struct pad_function any;
	const struct pad_site like = {.kind = function->kind == COST_CHANGE ? PAD_ASK
									    : PAD_ASK_IF_OPEN,
				      .function = &any,
				      .flags_live = true};
	const uint64_t bias = inferior->modules[function->module].load_bias;

	add_hook_site(inferior, sites, bias, function->entry_addr, &function->entry_site, &like);
	for (size_t i = 0; i < function->n_exits; i++)
		add_hook_site(inferior, sites, bias, function->exits[i], &function->exit_sites[i],
			      &like);
}

/* Of one whose ends are not known, a breakpoint sees the beginning, and plants the end. */
static void add_cost_function(struct inferior *inferior, struct sites *sites, unsigned index)
{
	static const struct pad_function any;
	const struct cost_function *function = &inferior->image->catalogue->cost_functions[index];
	const uint64_t bias = inferior->modules[function->module].load_bias;
	const unsigned totals = metric_totals(inferior->session->options.metrics);
	const bool locks = lock_calls_has(function->kind);
	const bool transfers = transfers_have(function->kind);
	struct pad_site like = {.function = &any, .cost = &inferior->pads->costs[index]};

	if (!inferior->modules[function->module].mapped)
		return;
	if (cost_call_is_hooked(function->kind)) {
		add_hooks(inferior, sites, function);
		return;
	}
	if (!cost_call_is_wanted(function->kind, totals, true) || !function->exits_known)
		return;
	like.kind = locks ? PAD_LOCK_ENTRY : transfers ? PAD_STREAM_ENTRY : PAD_COST_ENTRY;
	add_cost_site(inferior, sites, bias, function->entry_addr, &function->entry_site, &like);
	like.kind = locks ? PAD_LOCK_EXIT : transfers ? PAD_STREAM_EXIT : PAD_COST_EXIT;
	for (size_t i = 0; i < function->n_exits; i++)
		add_cost_site(inferior, sites, bias, function->exits[i], &function->exit_sites[i],
			      &like);
	for (size_t i = 0; i < function->n_jumps; i++) {
		const struct cost_jump *jump = &function->jumps[i];

		like.gives_argument = jump->gives_argument;
		like.kind = jump->gives_argument ? PAD_COST_EXIT
			    : locks              ? PAD_LOCK_JUMP
						 : PAD_COST_JUMP;
		like.flags_live = !jump->gives_argument;
		add_cost_site(inferior, sites, bias, jump->addr, &jump->site, &like);
	}
}

/* Of one that allocates itself, its own cost call is part of it, and begins with it. */
static bool begins_as_cost(const struct inferior *inferior, const struct function *function)
{
	const uint64_t bias = inferior->modules[function->module].load_bias;
	const struct breakpoint *first =
		breakpoint_find(inferior->breakpoints, module_runtime(bias, function->entry_addr));

	return first && first->cost_entry;
}

/* A function may be nothing but a jump: then both its probes are pads, or none. */
static void add_tails(struct inferior *inferior, struct sites *sites,
		      const struct measured_function *measured, const struct pad_site *of_function)
{
	const struct function *function = measured->function;
	struct pad_site like = *of_function;

	like.kind = PAD_TAIL;
	like.flags_live = true;
	for (size_t i = 0; i < function->n_exits; i++) {
		const struct exit_site *exit = &function->exits[i];

		if (!exit_is_jump(exit->kind) ||
		    (exit->addr == function->probe_addr && begins_as_cost(inferior, function)))
			continue;
		like.lands = !pad_tails_is_ended(inferior, measured, exit);
		if (!like.lands || function->n_landings)
			add_site(inferior, sites, exit->addr, &exit->site, &like);
	}
}

static void add_function(struct inferior *inferior, struct sites *sites, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];
	const struct function *function = measured->function;
	struct ring_function *layout = &inferior->pads->functions[index];
	struct pad_site like = {.function = &layout->code};

	if (layout->why || !inferior->modules[function->module].mapped)
		return;
	layout->code.load_bias = inferior->modules[function->module].load_bias;
	/* First: see is_tail_missed(). */
	add_tails(inferior, sites, measured, &like);
	like.kind = PAD_ENTRY;
	like.flags_live = function->probe_addr != function->entry_addr;
	if (!begins_as_cost(inferior, function))
		add_site(inferior, sites, function->probe_addr, &function->site, &like);
	like.kind = PAD_RETURN;
	like.flags_live = false;
	for (size_t i = 0; i < function->n_exits; i++)
		if (function->exits[i].kind == EXIT_RETURN)
			add_site(inferior, sites, function->exits[i].addr, &function->exits[i].site,
				 &like);
	like.flags_live = true;
	for (size_t i = 0; i < function->n_branches; i++) {
		const int byte = branches_byte(measured, i);

		if (byte < 0)
			continue;
		like.kind = function->branches[i].kind == BRANCH_TURNS ? PAD_TURN : PAD_BRANCH;
		like.branch = (unsigned)byte;
		like.is_rare = function->branches[i].is_rare;
		like.index = function->branches[i].kind == BRANCH_SWITCH
				     ? &function->branches[i].index
				     : NULL;
		add_site(inferior, sites, function->branches[i].addr, &function->branches[i].site,
			 &like);
	}
}

/* Its breakpoint is never planted for that, but knows what is asked there. */
static void add_landing(struct inferior *inferior, struct sites *sites, pid_t tid,
			const struct landing *landing)
{
	static const struct pad_function any;
	const struct pad_site like = {.kind = PAD_LANDING, .function = &any};
	const uint64_t bias = inferior->modules[landing->module].load_bias;
	struct breakpoint *breakpoint;
	struct err ignored;

	if (!inferior->modules[landing->module].mapped ||
	    !breakpoint_prepare(inferior->breakpoints, tid, module_runtime(bias, landing->addr),
				&breakpoint, &ignored))
		return;
	breakpoint->landing = true;
	if (!breakpoint->padded && !is_for_more(breakpoint))
		put_site(inferior, sites, bias, landing->addr, &landing->site, &like);
}

static void add_functions(struct inferior *inferior, struct sites *sites, pid_t tid)
{
	sites->n = 0;
	for (size_t i = 0; i < inferior->image->catalogue->n_functions; i++)
		add_function(inferior, sites, i);
	for (size_t i = 0; i < inferior->image->catalogue->n_cost_functions; i++)
		add_cost_function(inferior, sites, i);
	for (size_t i = 0; i < inferior->image->catalogue->n_landings; i++)
		add_landing(inferior, sites, tid, &inferior->image->catalogue->landings[i]);
}

static bool lift_in(struct inferior *inferior, pid_t tid, uint64_t address, size_t size)
{
	bool any = false;

	for (uint64_t at = address; at < address + size; at++) {
		struct pad_patch *patch = pad_patch_by_run(inferior->pads->patches, at);

		if (!patch || (!patch->planted && !patch->withdrawn))
			continue;
		pads_jumps_lift(inferior, tid, patch);
		any |= !patch->planted;
	}
	return any;
}

/* Patches that new sites overlap are made anew, with all probes. Returns whether there are any. */
static bool lift_overlapped(struct inferior *inferior, pid_t tid, const struct sites *sites)
{
	bool any = false;

	for (size_t i = 0; i < sites->n; i++) {
		any |= lift_in(inferior, tid, sites->list[i].run, sites->list[i].size);
		any |= lift_in(inferior, tid, sites->list[i].lender, sites->list[i].lender_size);
	}
	return any;
}

static int by_address(const void *a, const void *b)
{
	const uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/* The breakpoints that have sites, [n], sorted; owned by the caller. */
static uintptr_t *padded_of(struct inferior *inferior, const struct sites *sites)
{
	uintptr_t *ret = mem_alloc((sites->n + 1) * sizeof(*ret));

	for (size_t i = 0; i < sites->n; i++)
		ret[i] = (uintptr_t)pads_jumps_breakpoint(inferior, &sites->list[i]);
	qsort(ret, sites->n, sizeof(*ret), by_address);
	return ret;
}

static bool has_site(const uintptr_t *padded, size_t n, const struct breakpoint *breakpoint)
{
	const uintptr_t wanted = (uintptr_t)breakpoint;

	return bsearch(&wanted, padded, n, sizeof(wanted), by_address);
}

/* Does one of the questions, behind the first @n sites, ask for it? Runs overlap. */
static bool is_asked(const struct sites *sites, size_t n, const struct breakpoint *breakpoint)
{
	for (size_t i = n; i < sites->n; i++)
		if (sites->list[i].pc == breakpoint->address)
			return true;
	return false;
}

/* Uses that stay, planted or not. */
static bool is_lasting(const struct breakpoint *breakpoint)
{
	return breakpoint->entry_of >= 0 || breakpoint->exit_of >= 0 ||
	       breakpoint->branch_of >= 0 || breakpoint->first_of >= 0 ||
	       breakpoint->line_of >= 0 || breakpoint->for_blocks || breakpoint->hook ||
	       measured_is_of_cost(breakpoint);
}

/* Breakpoints in a run that are no probes of pads ask. */
static void add_questions(struct inferior *inferior, struct sites *sites)
{
	const size_t n = sites->n;
	uintptr_t *padded = padded_of(inferior, sites);

	for (size_t i = 0; i < n; i++)
		for (uint64_t at = 0; at < sites->list[i].size; at++) {
			struct pad_site site = sites->list[i];
			const struct breakpoint *breakpoint =
				breakpoint_find(inferior->breakpoints, site.run + at);

			if (!breakpoint || breakpoint->of_loader || !is_lasting(breakpoint) ||
			    has_site(padded, n, breakpoint) || is_asked(sites, n, breakpoint))
				continue;
			site.kind = PAD_ASK;
			site.flags_live = true;
			site.pc = breakpoint->address;
			sites->list = mem_grow(sites->list, &sites->capacity, sites->n + 1,
					       sizeof(*sites->list));
			sites->list[sites->n++] = site;
		}
	free(padded);
}

void pads_sites_plan(struct inferior *inferior, pid_t tid)
{
	struct sites sites = {0};
	struct err ignored;

	do
		add_functions(inferior, &sites, tid);
	while (lift_overlapped(inferior, tid, &sites));
	add_questions(inferior, &sites);
	if (sites.n)
		pad_patch_prepare(inferior->pads->patches, tid, sites.list, sites.n, &ignored);
	free(sites.list);
}
