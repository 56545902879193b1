/*
 * When probes become pads. Everything is planted as int3s first; an update replaces those that can
 * be by jumps, and puts int3s back where a jump has to go.
 */
#include "pads.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "pads_jumps.h"
#include "trace/cost/cost_probes.h"
#include "trace/pad/pad_draft.h"
#include "trace/probe/breakpoint.h"
#include "trace/state/event_queue.h"
#include "trace/state/measured.h"

enum {
	BLOCKS_AT_ONCE = 16,
	STACK_SCANNED = 256 << 10, /* bytes of each thread's stack, from its top */
	STEPS_MAX = 64,            /* out of a run */
};

static void pads_unsee(const void *self, uint64_t address, uint8_t *bytes, size_t n)
{
	const struct inferior *inferior = self;

	pad_patch_table_unsee(inferior->pads->patches, address, bytes, n);
}

static bool pads_loads(const struct pad_function *function)
{
	return function->n_filters || pad_draft_loads(function, PAD_ENTRY) ||
	       pad_draft_loads(function, PAD_RETURN);
}

static void make_function(struct inferior *inferior, unsigned index)
{
	const struct measured_function *measured = &inferior->image->functions[index];
	struct session *session = inferior->session;
	const size_t n = inferior->image->catalogue->n_functions;
	const struct ring_wants wants = {
		.counts = session->ring->counts,
		.n_callees = session->ring->own && n <= PAD_CALLEES_MAX ? n : 0,
	};

	ring_layout_make(measured, index, inferior->modules[measured->function->module].load_bias,
			 wants, &inferior->class_map, session->arena,
			 &inferior->pads->functions[index]);
	inferior->pads->functions[index].code.mem = session->ring->mem;
	inferior->pads->functions[index].code.events =
		session->ring->blocks || session->ring->streams;
	inferior->pads->functions[index].code.asks = measured->asks;
	inferior->pads->functions[index].code.wait = session->ring->wait;
	inferior->pads->functions[index].code.hold = session->ring->hold;
	inferior->pads->functions[index].code.own = session->ring->own;
	inferior->pads->loads |= pads_loads(&inferior->pads->functions[index].code);
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

/* The registers with the flags of a function that receives. */
static uint32_t pads_flags_of(const struct cost_function *function)
{
	if (!strcmp(function->name, "recv") || !strcmp(function->name, "recvfrom") ||
	    !strcmp(function->name, "recvmmsg"))
		return 1 << PAD_RCX;
	return strcmp(function->name, "recvmsg") ? 0 : 1 << PAD_RDX;
}

static void make_costs(struct inferior *inferior)
{
	const struct catalogue *catalogue = inferior->image->catalogue;
	struct pad_cost *costs =
		arena_array(inferior->session->arena, struct pad_cost, catalogue->n_cost_functions);

	for (size_t i = 0; i < catalogue->n_cost_functions; i++)
		costs[i] = (struct pad_cost){
			.number = (unsigned)i + 1,
			.kind = catalogue->cost_functions[i].kind,
			.flags = pads_flags_of(&catalogue->cost_functions[i]),
			.messages = cost_call_gives_messages(catalogue->cost_functions[i].name),
			.hold = inferior->session->ring->hold,
			.blocks = inferior->session->ring->blocks,
			.sites = inferior->session->ring->sites};
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

	if (pads)
		pad_patch_table_restore_lifted(pads->patches, copy->pid);
	if (!pads || !pads->planted)
		return;
	copy->pads = mem_alloc(sizeof(*copy->pads));
	*copy->pads = (struct pads){.functions = pads->functions,
				    .costs = pads->costs,
				    .area = pad_area_copy(pads->area),
				    .spare_block = pads->spare_block,
				    .n_mapped = pads->n_mapped,
				    .resume = pads->resume,
				    .planted = pads->planted,
				    .loads = pads->loads,
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
	       !pads_jumps_is_spoiled(pads, pad_patch_by_run(pads->patches, pc)->run);
}

/* A step there would be into the int3, and past it. */
static bool is_at_int3(const struct inferior *inferior, uint64_t pc)
{
	const struct breakpoint *breakpoint = breakpoint_find(inferior->breakpoints, pc);

	return breakpoint && breakpoint->planted;
}

/* Of a block, be it one that a fathom that was killed has left. */
static bool is_of_pads(const struct tracee *tracee, uint64_t gs_base)
{
	const struct target *target = &tracee->inferior->session->target;
	uint64_t words[2]; /* its magic and its address */
	struct memory_read read = {.address = gs_base, .to = words, .size = sizeof(words)};

	if (pad_area_is_block(tracee->inferior->pads->area, gs_base))
		return true;
	target->ops->read(target->self, tracee->tid, &read, 1);
	return read.ok && words[0] == PAD_MAGIC && words[1] == gs_base;
}

/* Out of the middle of runs, and no gs of its own. False: pads cannot be planted now. */
static bool move_on(struct inferior *inferior, struct tracee *tracee)
{
	const struct target *target = &inferior->session->target;
	struct user_regs_struct registers;
	int signal;

	if (!tracee->stopped || !target->ops->get_registers(target->self, tracee->tid, &registers))
		return false;
	if (registers.gs_base && !tracee->pad && !is_of_pads(tracee, registers.gs_base)) {
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
		    inferior->image->functions[i].asks != inferior->pads->functions[i].code.asks ||
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
	pads->resume = 0;
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

/* Launched programs end with their tracer. */
static void guard_signals(const struct inferior *inferior, const struct tracee *helper)
{
	static const int signals[] = {SIGTRAP, SIGSEGV, SIGBUS};
	const struct session *session = inferior->session;
	const struct target *target = &session->target;
	struct pad_area *area = inferior->pads->area;

	if (session->launched || inferior->ignores_trap || pad_area_guarded(area))
		return;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (target->ops->action(target->self, helper->tid, signals[i]) == TRAP_DEFAULT)
			pad_area_guard(area, helper->tid, signals[i]);
		else if (!i)
			return;
}

uint64_t pads_guarded(const struct inferior *inferior)
{
	return inferior->pads ? pad_area_guarded(inferior->pads->area) : 0;
}

/* Near any of the pads, whose memory it shares. */
static void make_resume(struct inferior *inferior, pid_t tid)
{
	const struct pad_probe resume = {.kind = PAD_RESUME};
	struct pads *pads = inferior->pads;
	struct err ignored;
	size_t n;
	struct pad_patch *const *list = pad_patch_table_list(pads->patches, &n);

	if (!pads->resume && n)
		pad_patch_make_alone(pads->patches, tid, list[0]->run, &resume, &pads->resume,
				     &ignored);
}

void pads_update(struct inferior *inferior, struct tracee *helper)
{
	struct pads *pads = inferior->pads;

	if (!pads || !pads->dirty)
		return;
	if (pads_make_calls(inferior->session->ring) && helper && is_sealed(inferior, helper->tid))
		pads_give_up(inferior, "it has forbidden itself system calls");
	pads->urgent = false;
	if (pads->why || pads->renewed)
		pads_lift(inferior, inferior->pid);
	else
		pads_jumps_each(inferior, inferior->pid, pads_jumps_lift_stale);
	if (inferior->session->withdraws && !inferior->session->restores)
		pads_jumps_each(inferior, inferior->pid, pads_jumps_withdraw);
	if (pads->renewed)
		renew_patches(inferior);
	if (pads->renewed)
		remake_functions(inferior);
	if (pads->renewed) {
		memset(pads->ends, 0,
		       inferior->image->catalogue->n_functions * sizeof(*pads->ends));
		pads->resume = 0;
	}
	pads->renewed = false;
	pads->dirty = !pads->why && !helper;
	if (pads->why || !helper)
		return;
	if (!has_memory(inferior, helper)) {
		pads->dirty = pads->urgent = false;
		return;
	}
	guard_signals(inferior, helper);
	if (inferior->cost.n)
		cost_probes_last(inferior, helper->tid);
	pads_sites_plan(inferior, helper->tid);
	pad_tails_make_ends(inferior, helper->tid);
	make_resume(inferior, helper->tid);
	pads_jumps_each(inferior, helper->tid, pads_jumps_lift_int3s);
	pads->dirty = !move_all_on(inferior);
	if (!pads->dirty)
		pads_jumps_each(inferior, helper->tid, pads_jumps_plant);
	pads_jumps_each(inferior, helper->tid, pads_jumps_plant_int3s);
	if (pads->dirty)
		return;
	pads->planted = true;
}
