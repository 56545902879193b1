/*
 * Which probes become pads, and when. Everything is planted as int3s first; an update replaces
 * those that can be by jumps, and puts int3s back where a jump has to go.
 */
#include "pads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "pad_tails.h"
#include "ring_costs.h"
#include "ring_counts.h"
#include "trace/call/branches.h"
#include "trace/cost/cost_probes.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"

enum {
	BLOCKS_AT_ONCE = 16,
	STACK_SCANNED = 256 << 10, /* bytes of each thread's stack, from its top */
	STEPS_MAX = 64,            /* out of a run */
};

static const struct ring_cost uncalibrated = {
	.call_ns = 35, .record_ns = 20, .word_ns = 2, .heap_ns = 3};

bool pads_measure(unsigned metrics, const char **ret_why)
{
	const unsigned totals = metric_totals(metrics);
	const unsigned counted = ring_counts_metrics(ring_counts_for(totals));

	if (totals & ~counted & ~ring_costs_metrics() & ~(1u << METRIC_TIME))
		*ret_why = "peak, wait and hold cannot be measured without stops";
	else if (counted & ~counters_since_birth(counted))
		*ret_why = "the kernel does not tell in /proc what it counts";
	else
		return true;
	return false;
}

static int32_t ticks_of(const struct ring *ring, double us)
{
	return (int32_t)lround(us * 1000 / ring->clock.ns_per_tick);
}

/* What pads subtract, and what they take from the program's time. */
static void set_costs(struct ring *ring, const struct pad_calibration *found)
{
	ring->costs = (struct pad_costs){.pair = ticks_of(ring, found->pair),
					 .call = ticks_of(ring, found->call),
					 .record = ticks_of(ring, found->record),
					 .drawn = ticks_of(ring, found->drawn),
					 .word = ticks_of(ring, found->word),
					 .heap = ticks_of(ring, found->heap),
					 .heap_inner = ticks_of(ring, found->heap_inner)};
	ring->cost = (struct ring_cost){.call_ns = 1000 * (found->pair + found->call),
					.record_ns = 1000 * (found->record + found->drawn),
					.word_ns = 1000 * found->word,
					.heap_ns = 1000 * found->heap};
	if (!found->resolution)
		ring->cost = uncalibrated;
}

bool pads_session_create(struct session *session, const char **ret_why)
{
	const unsigned counts = ring_counts_for(metric_totals(session->options.metrics));
	struct ring *ring = mem_alloc(sizeof(*ring));

	if (!tsc_clock_init(&ring->clock, ret_why)) {
		free(ring);
		return false;
	}
	set_costs(ring, &session->account.calibration.pads);
	ring->keep_all = session->options.every_call;
	ring->counts = counts;
	ring->mem = metric_totals(session->options.metrics) & 1u << METRIC_MEM;
	if (counts)
		ring->cost.record_ns += ring_counts_calibrate(&ring->clock, counts, &ring->costs);
	session->ring = ring;
	return true;
}

void pads_session_destroy(struct session *session)
{
	if (session->ring)
		free(session->ring->buffer);
	free(session->ring);
	session->ring = NULL;
}

static void pads_unsee(const void *self, uint64_t address, uint8_t *bytes, size_t n)
{
	const struct inferior *inferior = self;

	pad_patch_table_unsee(inferior->pads->patches, address, bytes, n);
}

static void make_function(struct inferior *inferior, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];
	struct session *session = inferior->session;

	ring_layout_make(measured, index, inferior->modules[measured->function->module].load_bias,
			 session->ring->counts, &inferior->class_map, session->arena,
			 &inferior->pads->functions[index]);
	inferior->pads->functions[index].code.mem = session->ring->mem;
}

static void make_functions(struct inferior *inferior)
{
	struct session *session = inferior->session;
	const size_t n = inferior->image->catalogue->n_functions;
	struct pads *pads = inferior->pads;

	pads->functions = arena_array(session->arena, struct ring_function, n);
	for (size_t i = 0; i < n; i++)
		make_function(inferior, i);
}

static void make_costs(struct inferior *inferior)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	struct pad_cost *costs =
		arena_array(inferior->session->arena, struct pad_cost, catalogue->n_cost_functions);

	for (size_t i = 0; i < catalogue->n_cost_functions; i++)
		costs[i] = (struct pad_cost){.number = (unsigned)i + 1,
					     .kind = catalogue->cost_functions[i].kind};
	inferior->pads->costs = costs;
}

static struct pad_patch_setting setting_of(const struct inferior *inferior)
{
	const struct session *session = inferior->session;

	return (struct pad_patch_setting){.target = &session->target,
					  .decoder = session->decoder,
					  .pid = inferior->pid,
					  .breakpoints = inferior->breakpoints,
					  .area = inferior->pads->area,
					  .guard = session->options.guard,
					  .costs = session->ring->costs};
}

void pads_create(struct inferior *inferior, uint64_t code)
{
	struct session *session = inferior->session;
	struct pad_patch_setting setting;

	if (!session->ring)
		return;
	inferior->pads = mem_alloc(sizeof(*inferior->pads));
	inferior->pads->area = pad_area_create(&session->target, code);
	make_functions(inferior);
	make_costs(inferior);
	inferior->pads->ends =
		mem_alloc((inferior->image->catalogue->n_functions + 1) * sizeof(uint64_t));
	setting = setting_of(inferior);
	inferior->pads->patches = pad_patch_table_create(&setting);
	breakpoint_table_set_jumps(inferior->breakpoints, pads_unsee, inferior);
	inferior->pads->dirty = true;
}

void pads_copy(const struct inferior *inferior, struct inferior *copy)
{
	const struct pads *pads = inferior->pads;
	struct pad_patch_setting setting;

	if (!pads || !pads->planted)
		return;
	copy->pads = mem_alloc(sizeof(*copy->pads));
	*copy->pads = (struct pads){.functions = pads->functions,
				    .costs = pads->costs,
				    .area = pad_area_copy(pads->area),
				    .spare_block = pads->spare_block,
				    .n_mapped = pads->n_mapped,
				    .planted = pads->planted,
				    .dirty = pads->dirty,
				    .why = pads->why};
	setting = setting_of(copy);
	copy->pads->patches = pad_patch_table_copy(pads->patches, &setting);
	copy->pads->blocks = mem_grow(NULL, &copy->pads->blocks_capacity, pads->n_blocks + 1,
				      sizeof(*pads->blocks));
	if (pads->n_blocks)
		memcpy(copy->pads->blocks, pads->blocks, pads->n_blocks * sizeof(*pads->blocks));
	copy->pads->n_blocks = pads->n_blocks;
	copy->pads->ends = mem_alloc((copy->image->catalogue->n_functions + 1) * sizeof(uint64_t));
	memcpy(copy->pads->ends, pads->ends,
	       copy->image->catalogue->n_functions * sizeof(uint64_t));
	breakpoint_table_set_jumps(copy->breakpoints, pads_unsee, copy);
}

void pads_destroy(struct inferior *inferior)
{
	struct pads *pads = inferior->pads;

	if (!pads)
		return;
	if (inferior->breakpoints)
		breakpoint_table_set_jumps(inferior->breakpoints, NULL, NULL);
	pad_patch_table_destroy(pads->patches);
	pad_area_destroy(pads->area);
	free(pads->ends);
	free(pads->blocks);
	free(pads->spoiled);
	free(pads);
	inferior->pads = NULL;
}

const struct ring_function *pads_function(const struct inferior *inferior, unsigned index)
{
	const struct ring_function *function;

	if (!inferior->pads || index >= inferior->image->catalogue->n_functions)
		return NULL;
	function = &inferior->pads->functions[index];
	return function->why ? NULL : function;
}

void pads_give_up(struct inferior *inferior, const char *why)
{
	struct pads *pads = inferior->pads;

	if (!pads || pads->why)
		return;
	pads->why = why;
	pads->dirty = pads->urgent = true;
	event_queue_note(inferior->session, "process %d is measured by stops: %s",
			 (int)inferior->pid, why);
}

/* Sites to plan, each with its breakpoint. */
struct sites {
	struct pad_site *list;
	size_t n, capacity;
};

static bool is_spoiled(const struct pads *pads, uint64_t run)
{
	for (size_t i = 0; i < pads->n_spoiled; i++)
		if (pads->spoiled[i] == run)
			return true;
	return false;
}

void pads_spoil(struct inferior *inferior, const struct pad_patch *patch)
{
	struct pads *pads = inferior->pads;

	pads->spoiled = mem_grow(pads->spoiled, &pads->spoiled_capacity, pads->n_spoiled + 1,
				 sizeof(*pads->spoiled));
	pads->spoiled[pads->n_spoiled++] = patch->run;
	pads->dirty = pads->urgent = true;
}

/* A pad does what a function's own probe does, and nothing else that a breakpoint is for. */
static bool can_be_padded(const struct breakpoint *breakpoint)
{
	return breakpoint && !breakpoint->padded && !breakpoint->returns &&
	       breakpoint->first_of < 0 && !breakpoint->hook && !breakpoint->of_loader &&
	       !measured_is_of_cost(breakpoint);
}

static bool is_no_probe(const struct breakpoint *breakpoint)
{
	return !breakpoint->padded && !breakpoint->returns && breakpoint->entry_of < 0 &&
	       breakpoint->exit_of < 0 && breakpoint->branch_of < 0 && breakpoint->first_of < 0 &&
	       !breakpoint->of_loader;
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
	if (!site->size || is_spoiled(inferior->pads, module_runtime(bias, site->addr)) ||
	    (site->lender_size &&
	     is_spoiled(inferior->pads, module_runtime(bias, site->lender_addr))))
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
	const struct breakpoint *breakpoint =
		breakpoint_find(inferior->breakpoints, module_runtime(bias, addr));

	if (can_be_padded_as_hook(inferior, breakpoint))
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
	struct pad_site like = {.function = &any, .cost = &inferior->pads->costs[index]};

	if (!inferior->modules[function->module].mapped)
		return;
	if (cost_call_is_hooked(function->kind)) {
		add_hooks(inferior, sites, function);
		return;
	}
	if (!cost_call_is_wanted(function->kind, ring_costs_metrics(), true) ||
	    !function->exits_known)
		return;
	like.kind = PAD_COST_ENTRY;
	add_cost_site(inferior, sites, bias, function->entry_addr, &function->entry_site, &like);
	like.kind = PAD_COST_EXIT;
	for (size_t i = 0; i < function->n_exits; i++)
		add_cost_site(inferior, sites, bias, function->exits[i], &function->exit_sites[i],
			      &like);
	for (size_t i = 0; i < function->n_jumps; i++) {
		const struct cost_jump *jump = &function->jumps[i];

		like.gives_argument = jump->gives_argument;
		like.kind = jump->gives_argument ? PAD_COST_EXIT : PAD_COST_JUMP;
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

static void add_function(struct inferior *inferior, struct sites *sites, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];
	const struct function *function = measured->function;
	struct ring_function *layout = &inferior->pads->functions[index];
	struct pad_site like = {.function = &layout->code};

	if (layout->why || !inferior->modules[function->module].mapped)
		return;
	layout->code.load_bias = inferior->modules[function->module].load_bias;
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
	like.kind = PAD_TAIL;
	like.flags_live = true;
	for (size_t i = 0; i < function->n_exits; i++)
		if (pad_tails_is_ended(inferior, measured, &function->exits[i]))
			add_site(inferior, sites, function->exits[i].addr, &function->exits[i].site,
				 &like);
	like.kind = PAD_BRANCH;
	for (size_t i = 0; i < function->n_branches; i++) {
		const int byte = branches_byte(measured, i);

		if (byte < 0)
			continue;
		like.branch = (unsigned)byte;
		like.index = function->branches[i].kind == BRANCH_SWITCH
				     ? &function->branches[i].index
				     : NULL;
		add_site(inferior, sites, function->branches[i].addr, &function->branches[i].site,
			 &like);
	}
}

/* The breakpoint of a site: at the endbr64 before it, if there is one. */
static struct breakpoint *site_breakpoint(struct inferior *inferior, const struct pad_site *site)
{
	struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, site->pc);

	if (!breakpoint && (site->kind == PAD_ENTRY || site->kind == PAD_COST_ENTRY ||
			    site->kind == PAD_ASK || site->kind == PAD_ASK_IF_OPEN))
		breakpoint = breakpoint_find(inferior->breakpoints, site->pc - 4);
	return breakpoint;
}

struct breakpoint *pads_breakpoint(struct inferior *inferior, const struct pad_patch *patch,
				   unsigned probe)
{
	return site_breakpoint(inferior, &patch->sites[probe]);
}

static bool is_probe_of(struct inferior *inferior, const struct pad_patch *patch,
			const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < patch->n_probes; i++)
		if (pads_breakpoint(inferior, patch, i) == breakpoint)
			return true;
	return false;
}

/* Does a breakpoint in the run stay that is no probe of the patch? */
static bool has_strangers(struct inferior *inferior, const struct pad_patch *patch)
{
	for (uint64_t at = patch->run; at < patch->run + patch->size; at++) {
		const struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, at);

		if (breakpoint && breakpoint->planted && !is_probe_of(inferior, patch, breakpoint))
			return true;
	}
	return false;
}

static void set_padded(struct inferior *inferior, pid_t tid, const struct pad_patch *patch,
		       bool padded)
{
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (!breakpoint)
			continue;
		breakpoint->padded = padded;
		if (!padded && measured_wants(inferior, breakpoint))
			breakpoint_replant(inferior->breakpoints, tid, breakpoint);
	}
}

static bool is_given_up(const struct inferior *inferior, const struct pad_site *site)
{
	return site->kind == PAD_BRANCH &&
	       !branches_is_live(&inferior->image->functions[site->function->number], site->branch);
}

/* Branches given up need no probe any more; runs that faulted must be as they were. */
static bool is_stale(const struct inferior *inferior, const struct pad_patch *patch)
{
	bool stale = is_spoiled(inferior->pads, patch->run);

	for (size_t i = 0; i < patch->n_probes; i++)
		stale |= is_given_up(inferior, &patch->sites[i]);
	return stale;
}

static void plant_now(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	struct err ignored;

	if (patch->planted || patch->is_pointed_into || is_stale(inferior, patch) ||
	    has_strangers(inferior, patch))
		return;
	for (size_t i = 0; i < patch->n_probes; i++)
		if (pads_breakpoint(inferior, patch, i))
			breakpoint_lift(inferior->breakpoints, tid,
					pads_breakpoint(inferior, patch, i));
	set_padded(inferior, tid, patch,
		   pad_patch_plant(inferior->pads->patches, tid, patch, &ignored));
}

/* What only lends is planted for those that borrow. */
static void plant_patch(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	struct pad_patch *lender = pad_patch_lender(inferior->pads->patches, patch);

	if (!patch->n_probes)
		return;
	if (lender)
		plant_now(inferior, tid, lender);
	plant_now(inferior, tid, patch);
}

static void lift_patch(struct inferior *inferior, pid_t tid, struct pad_patch *patch);

/* Who borrows from it has int3s again. */
static void lift_borrowers(struct inferior *inferior, pid_t tid, const struct pad_patch *patch)
{
	struct pad_patch *const *list;
	size_t n;

	list = pad_patch_table_list(inferior->pads->patches, &n);
	for (size_t i = 0; i < n && patch->lends; i++)
		if (pad_patch_lender(inferior->pads->patches, list[i]) == patch)
			lift_patch(inferior, tid, list[i]);
}

/* An int3 over the jump's first byte restores that; it must restore the code's. */
static void lift_patch(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	struct breakpoint *over = breakpoint_find(inferior->breakpoints, patch->run);
	const bool was_over = over && over->planted;

	if (!patch->planted)
		return;
	lift_borrowers(inferior, tid, patch);
	if (was_over)
		breakpoint_lift(inferior->breakpoints, tid, over);
	pad_patch_lift(inferior->pads->patches, tid, patch);
	if (patch->planted)
		return;
	if (over)
		over->original = over->displaced.insn.bytes[0];
	set_padded(inferior, tid, patch, false);
	if (was_over)
		breakpoint_replant(inferior->breakpoints, tid, over);
}

typedef void visit_patch(struct inferior *inferior, pid_t tid, struct pad_patch *patch);

static void each_patch(struct inferior *inferior, pid_t tid, visit_patch *visit)
{
	struct pad_patch *const *list;
	size_t n;

	list = pad_patch_table_list(inferior->pads->patches, &n);
	for (size_t i = 0; i < n; i++)
		visit(inferior, tid, list[i]);
}

void pads_lift(struct inferior *inferior, pid_t tid)
{
	if (!inferior->pads)
		return;
	each_patch(inferior, tid, lift_patch);
	inferior->pads->planted = false;
	inferior->cost.lasting = false;
}

void pads_restore_copy(struct tracee *tracee)
{
	struct inferior *inferior = tracee->inferior;

	if (!inferior || !inferior->pads || !inferior->pads->planted)
		return;
	pad_patch_table_restore_in(inferior->pads->patches, tracee->tid);
}

bool pads_go_on(struct tracee *tracee, const struct breakpoint *breakpoint)
{
	const struct pads *pads = tracee->inferior->pads;
	const struct pad_patch *patch =
		pads ? pad_patch_by_run(pads->patches, breakpoint->address) : NULL;

	if (!patch || !patch->planted || patch->run != breakpoint->address)
		return false;
	tracee->registers.rip = patch->pad;
	return true;
}

void pads_unmap(struct inferior *inferior, pid_t tid)
{
	if (inferior->pads)
		pad_area_unmap(inferior->pads->area, tid);
}

/* Pads that look at classes know those that were there. */
void pads_mapped(struct inferior *inferior)
{
	struct pads *pads = inferior->pads;

	if (!pads)
		return;
	pads->renewed |= inferior->image->catalogue->n_casts > 0;
	pads->dirty = true;
}

void pads_unmapped(struct inferior *inferior, uint64_t low, uint64_t high)
{
	if (!inferior->pads)
		return;
	pad_patch_table_forget(inferior->pads->patches, low, high);
	pads_mapped(inferior);
}

static void scan_stack(struct inferior *inferior, const struct tracee *tracee, uint64_t sp)
{
	const struct target *target = &inferior->session->target;
	uint64_t *words = mem_alloc(STACK_SCANNED);
	struct memory_read reads[STACK_SCANNED / 4096 + 1];
	const uint64_t low = sp & ~UINT64_C(7);
	size_t n = 0;

	for (size_t at = 0; at < STACK_SCANNED; n++) {
		const size_t size = 4096 - (low + at) % 4096;

		reads[n] = (struct memory_read){
			.address = low + at,
			.to = (uint8_t *)words + at,
			.size = size < STACK_SCANNED - at ? size : STACK_SCANNED - at};
		at += reads[n].size;
	}
	target->ops->read(target->self, tracee->tid, reads, n);
	pad_patch_table_scan(inferior->pads->patches, words, STACK_SCANNED / 8);
	free(words);
}

/* Inside of a run that is to be replaced. */
static bool is_to_leave(const struct pads *pads, uint64_t pc)
{
	return pad_patch_is_inside(pads->patches, pc) &&
	       !is_spoiled(pads, pad_patch_by_run(pads->patches, pc)->run);
}

/* Out of the middle of runs, and no gs of its own. False: pads cannot be planted now. */
/* A step there would be into the int3, and past it. */
static bool is_at_int3(const struct inferior *inferior, uint64_t pc)
{
	const struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, pc);

	return breakpoint && breakpoint->planted;
}

static bool move_on(struct inferior *inferior, struct tracee *tracee)
{
	const struct target *target = &inferior->session->target;
	struct user_regs_struct registers;
	int signal;

	if (!tracee->stopped || !target->ops->get_registers(target->self, tracee->tid, &registers))
		return false;
	if (registers.gs_base && !tracee->pad &&
	    !pad_area_is_block(inferior->pads->area, registers.gs_base)) {
		pads_give_up(inferior, "the program uses the gs register itself");
		return false;
	}
	if (tracee->registers_changed)
		registers = tracee->registers;
	for (int i = 0; is_to_leave(inferior->pads, registers.rip); i++)
		if (i == STEPS_MAX || tracee->registers_changed ||
		    is_at_int3(inferior, registers.rip) ||
		    !target->ops->step(target->self, tracee->tid, &signal) || signal ||
		    !target->ops->get_registers(target->self, tracee->tid, &registers))
			return false;
	scan_stack(inferior, tracee, registers.rsp);
	return true;
}

static bool move_all_on(struct inferior *inferior)
{
	struct tracee *tracee, *next;

	pad_patch_table_rescan(inferior->pads->patches);
	HASH_ITER (hh, inferior->session->tracees, tracee, next)
		if (tracee->inferior == inferior && !move_on(inferior, tracee))
			return false;
	return true;
}

static void lift_int3s(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	for (size_t i = 0; i < patch->n_probes && !patch->planted; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint)
			breakpoint_lift(inferior->breakpoints, tid, breakpoint);
	}
}

/* Where no jump does their work. */
static void plant_int3s(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	for (size_t i = 0; i < patch->n_probes && !patch->planted; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint && measured_wants(inferior, breakpoint))
			breakpoint_replant(inferior->breakpoints, tid, breakpoint);
	}
}

static void add_functions(struct inferior *inferior, struct sites *sites)
{
	sites->n = 0;
	for (size_t i = 0; i < inferior->image->catalogue->n_functions; i++)
		add_function(inferior, sites, i);
	for (size_t i = 0; i < inferior->image->catalogue->n_cost_functions; i++)
		add_cost_function(inferior, sites, i);
}

static bool lift_in(struct inferior *inferior, pid_t tid, uint64_t address, size_t size)
{
	bool any = false;

	for (uint64_t at = address; at < address + size; at++) {
		struct pad_patch *patch = pad_patch_by_run(inferior->pads->patches, at);

		if (!patch || !patch->planted)
			continue;
		lift_patch(inferior, tid, patch);
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

static bool has_site(struct inferior *inferior, const struct sites *sites,
		     const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < sites->n; i++)
		if (site_breakpoint(inferior, &sites->list[i]) == breakpoint)
			return true;
	return false;
}

/* Uses that stay, planted or not. */
static bool is_lasting(const struct breakpoint *breakpoint)
{
	return breakpoint->entry_of >= 0 || breakpoint->exit_of >= 0 ||
	       breakpoint->branch_of >= 0 || breakpoint->first_of >= 0 || breakpoint->hook ||
	       measured_is_of_cost(breakpoint);
}

/* Breakpoints in a run that are no probes of pads ask. */
static void add_questions(struct inferior *inferior, struct sites *sites)
{
	const size_t n = sites->n;

	for (size_t i = 0; i < n; i++)
		for (uint64_t at = 0; at < sites->list[i].size; at++) {
			struct pad_site site = sites->list[i];
			const struct breakpoint *breakpoint =
				breakpoint_find(inferior->breakpoints, site.run + at);

			if (!breakpoint || breakpoint->of_loader || !is_lasting(breakpoint) ||
			    has_site(inferior, sites, breakpoint))
				continue;
			site.kind = PAD_ASK;
			site.flags_live = true;
			site.pc = breakpoint->address;
			sites->list = mem_grow(sites->list, &sites->capacity, sites->n + 1,
					       sizeof(*sites->list));
			sites->list[sites->n++] = site;
		}
}

static void plan(struct inferior *inferior, pid_t tid)
{
	struct sites sites = {0};
	struct err ignored;

	do
		add_functions(inferior, &sites);
	while (lift_overlapped(inferior, tid, &sites));
	add_questions(inferior, &sites);
	if (sites.n)
		pad_patch_prepare(inferior->pads->patches, tid, sites.list, sites.n, &ignored);
	free(sites.list);
}

/* Its breakpoint is for nothing any more, either. */
static void lift_stale(struct inferior *inferior, pid_t tid, struct pad_patch *patch)
{
	if (!is_stale(inferior, patch))
		return;
	for (size_t i = 0; i < patch->n_probes; i++) {
		struct breakpoint *breakpoint = pads_breakpoint(inferior, patch, i);

		if (breakpoint && is_given_up(inferior, &patch->sites[i]))
			breakpoint->branch_of = -1;
	}
	lift_patch(inferior, tid, patch);
}

/* No thread may be in a pad that nobody knows any more: they are brought out first. */
static void renew_patches(struct inferior *inferior)
{
	const struct pad_patch_setting setting = setting_of(inferior);

	pad_patch_table_destroy(inferior->pads->patches);
	inferior->pads->patches = pad_patch_table_create(&setting);
}

/* Functions whose calls are followed by stops from now on, or no longer. */
static void remake_functions(struct inferior *inferior)
{
	for (size_t i = 0; i < inferior->image->catalogue->n_functions; i++)
		if (inferior->image->functions[i].by_stops !=
			    inferior->pads->functions[i].by_stops ||
		    inferior->image->functions[i].filters != inferior->pads->functions[i].filters)
			make_function(inferior, i);
}

void pads_replan(struct inferior *inferior)
{
	struct pads *pads = inferior->pads;

	if (!pads)
		return;
	free(pads->ends);
	pads->ends = mem_alloc((inferior->image->catalogue->n_functions + 1) * sizeof(uint64_t));
	make_functions(inferior);
	make_costs(inferior);
	renew_patches(inferior);
	pad_area_reuse(pads->area);
	pads->planted = pads->renewed = false;
	pads->dirty = true;
}

void pads_renew(struct inferior *inferior)
{
	if (inferior->pads)
		inferior->pads->renewed = inferior->pads->dirty = true;
}

/* A system call in a pad might end it. Filters that are ours, too, have let us calibrate. */
static bool is_sealed(const struct inferior *inferior, pid_t tid)
{
	const struct target *target = &inferior->session->target;

	return target->ops->forbidden(target->self, tid) !=
	       target->ops->forbidden(target->self, gettid());
}

void pads_keep_block(struct pads *pads, uint64_t address)
{
	pads->blocks = mem_grow(pads->blocks, &pads->blocks_capacity, pads->n_blocks + 1,
				sizeof(*pads->blocks));
	pads->blocks[pads->n_blocks++] = address;
}

/* As many as there are, so that any number of threads needs few areas. */
static void map_blocks(struct pads *pads, pid_t tid)
{
	const size_t n = pads->n_mapped > BLOCKS_AT_ONCE ? pads->n_mapped : BLOCKS_AT_ONCE;
	struct err ignored;
	uint64_t first;

	if (!pad_area_map_blocks(pads->area, tid, n, &first, &ignored))
		return;
	pads->n_mapped += n;
	for (size_t i = n; i > 0; i--)
		pads_keep_block(pads, first + (i - 1) * PAD_BLOCK_SIZE);
}

bool pads_find_block(struct tracee *tracee, uint64_t *ret)
{
	struct pads *pads = tracee->inferior->pads;

	if (!pads->n_blocks)
		map_blocks(pads, tracee->tid);
	if (!pads->n_blocks)
		return false;
	*ret = pads->blocks[--pads->n_blocks];
	return true;
}

/* A block for when there is no memory any more. */
static bool has_spare(struct tracee *helper)
{
	struct pads *pads = helper->inferior->pads;

	return pads->spare_block || pads_find_block(helper, &pads->spare_block);
}

static bool has_memory(struct inferior *inferior, struct tracee *helper)
{
	struct pads *pads = inferior->pads;
	const uint64_t zero = offsetof(struct pad_block, reserved);
	struct err ignored;

	if (!has_spare(helper))
		pads_give_up(inferior, "there is no memory for its threads' records");
	else if (!pad_area_live(pads->area, helper->tid, pads->spare_block + zero, &ignored))
		pads_give_up(inferior, "it cannot share memory with its tracer");
	return !pads->why;
}

void pads_update(struct inferior *inferior, struct tracee *helper)
{
	struct pads *pads = inferior->pads;

	if (!pads || !pads->dirty)
		return;
	if (inferior->session->ring->counts && helper && is_sealed(inferior, helper->tid))
		pads_give_up(inferior, "it has forbidden itself system calls");
	pads->urgent = false;
	if (pads->why || pads->renewed)
		pads_lift(inferior, inferior->pid);
	else
		each_patch(inferior, inferior->pid, lift_stale);
	if (pads->renewed)
		renew_patches(inferior);
	if (pads->renewed)
		remake_functions(inferior);
	if (pads->renewed)
		memset(pads->ends, 0,
		       inferior->image->catalogue->n_functions * sizeof(*pads->ends));
	pads->renewed = false;
	pads->dirty = !pads->why && !helper;
	if (pads->why || !helper)
		return;
	if (!has_memory(inferior, helper)) {
		pads->dirty = pads->urgent = false;
		return;
	}
	if (inferior->cost.n)
		cost_probes_last(inferior, helper->tid);
	plan(inferior, helper->tid);
	pad_tails_make_ends(inferior, helper->tid);
	each_patch(inferior, helper->tid, lift_int3s);
	pads->dirty = !move_all_on(inferior);
	if (!pads->dirty)
		each_patch(inferior, helper->tid, plant_patch);
	each_patch(inferior, helper->tid, plant_int3s);
	if (pads->dirty)
		return;
	pads->planted = true;
}
