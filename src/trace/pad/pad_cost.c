/*
 * The probes of functions that allocate, while calls are open: the outermost of those called within
 * each other is noted in the block where it begins; where it ends, its bytes are added to `mem`,
 * and to what the innermost open call has allocated itself. All that costs a call nothing but where
 * it allocates. The same as trace/cost does at stops, which is asked where a noted call seems to be
 * gone, or jumps out to code that has no probes.
 */
#include "pad_draft.h"

#include <sys/mman.h>

#include "base/mem.h"
#include "pad_moved.h"

enum { COST_SAVED = 1 << PAD_RAX | 1 << PAD_RCX };

/* Arguments in the ABI's order. */
static const uint8_t argument_registers[PAD_ARGUMENTS] = {PAD_RDI, PAD_RSI, PAD_RDX, PAD_RCX};

struct asm_fixup pad_cost_jump_if_full(struct pad_draft *draft, unsigned n)
{
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RDX, PAD_BLOCK(events), 8);
	assembler_alu_load(code, ASM_SUB, PAD_RDX, PAD_BLOCK(events_taken));
	assembler_alu_constant(code, ASM_CMP, PAD_RDX,
			       PAD_EVENTS_SIZE - (int32_t)((n - 1) * sizeof(struct pad_event)));
	return assembler_jump_if(code, ASM_NOT_BELOW);
}

/* What the program did before must be done: events of threads are brought into one order. */
void pad_cost_begin_event(struct pad_draft *draft, enum pad_event_kind kind, unsigned function)
{
	struct assembler *code = &draft->code;

	pad_draft_finish_work(draft);
	assembler_rdtsc(code);
	assembler_shift(code, ASM_SHL, PAD_RDX, 32);
	assembler_alu(code, ASM_OR, PAD_RAX, PAD_RDX);
	assembler_load(code, PAD_RDX, PAD_BLOCK(events), 8);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_EVENTS_SIZE - 1);
	assembler_alu_load(code, ASM_ADD, PAD_RDX, PAD_BLOCK(address));
	assembler_store(code, PAD_EVENT(at), PAD_RAX, 8);
	assembler_store_constant(code, PAD_EVENT(kind), (int32_t)kind, 4);
	assembler_store_constant(code, PAD_EVENT(function), (int32_t)function, 4);
}

void pad_cost_end_event(struct pad_draft *draft)
{
	assembler_alu_store_constant(&draft->code, ASM_ADD, PAD_BLOCK(events),
				     sizeof(struct pad_event), 8);
}

void pad_cost_write_call_event(struct pad_draft *draft, enum pad_event_kind kind)
{
	pad_cost_begin_event(draft, kind, 0);
	assembler_load(&draft->code, PAD_RAX, PAD_FRAME(PAD_RCX, id), 8);
	assembler_store(&draft->code, PAD_EVENT(a), PAD_RAX, 8);
	assembler_load(&draft->code, PAD_RAX, PAD_BLOCK(stolen), 8);
	assembler_store(&draft->code, PAD_EVENT(b), PAD_RAX, 8);
	pad_cost_end_event(draft);
}

/* Of those that free: blocks of calls in other threads may be among them. */
static void write_freeing(struct pad_draft *draft, const struct pad_cost *cost)
{
	pad_cost_begin_event(draft, PAD_EVENT_COST, cost->number);
	assembler_store(&draft->code, PAD_EVENT(a), PAD_RDI, 8);
	assembler_store(&draft->code, PAD_EVENT(b), PAD_RSI, 8);
	pad_cost_end_event(draft);
}

static bool cost_frees(const struct pad_cost *cost)
{
	return cost->blocks && (cost->kind == COST_FREE || cost->kind == COST_REALLOCATE ||
				cost->kind == COST_REALLOCATE_ARRAY || cost->kind == COST_UNMAP);
}

static struct asm_place cost_argument(unsigned index)
{
	return (struct asm_place){-1, (int32_t)(offsetof(struct pad_block, heap.arguments) +
						index * sizeof(uint64_t))};
}

static unsigned cost_arguments(enum cost_call_kind kind)
{
	switch (kind) {
	case COST_ALLOCATE:
		return 1;
	case COST_ALLOCATE_ARRAY:
	case COST_ALLOCATE_ALIGNED:
	case COST_REALLOCATE:
		return 2;
	case COST_ALLOCATE_INTO:
	case COST_REALLOCATE_ARRAY:
		return 3;
	default:
		return PAD_ARGUMENTS;
	}
}

/* rax = the bytes that are asked for; rcx is free. */
static void write_bytes(struct assembler *code, enum cost_call_kind kind)
{
	struct asm_fixup counts;

	switch (kind) {
	case COST_ALLOCATE_ARRAY:
		assembler_move(code, PAD_RAX, PAD_RDI);
		assembler_multiply(code, PAD_RAX, PAD_RSI);
		break;
	case COST_REALLOCATE_ARRAY:
		assembler_move(code, PAD_RAX, PAD_RSI);
		assembler_multiply(code, PAD_RAX, PAD_RDX);
		break;
	case COST_ALLOCATE_ALIGNED:
	case COST_REALLOCATE:
		assembler_move(code, PAD_RAX, PAD_RSI);
		break;
	case COST_ALLOCATE_INTO:
		assembler_move(code, PAD_RAX, PAD_RDX);
		break;
	case COST_MAP:
		assembler_move(code, PAD_RAX, PAD_RSI);
		assembler_alu_constant(code, ASM_AND, PAD_RCX, MAP_ANONYMOUS);
		counts = assembler_jump_if(code, ASM_NOT_EQUAL);
		assembler_constant(code, PAD_RAX, 0);
		assembler_fix(code, counts);
		break;
	default:
		assembler_move(code, PAD_RAX, PAD_RDI);
		break;
	}
}

static void note_call(struct assembler *code, const struct pad_cost *cost)
{
	assembler_store(code, PAD_BLOCK(heap.cfa), PAD_RAX, 8);
	assembler_load(code, PAD_RCX, (struct asm_place){PAD_RSP, 0}, 8);
	assembler_store(code, PAD_BLOCK(heap.return_address), PAD_RCX, 8);
	assembler_store_constant(code, PAD_BLOCK(heap.function), (int32_t)cost->number, 8);
	if (cost->kind == COST_MAP)
		assembler_load(code, PAD_RCX, pad_draft_saved(PAD_RCX), 8);
	for (unsigned i = 0; i < cost_arguments(cost->kind); i++)
		assembler_store(code, cost_argument(i), argument_registers[i], 8);
	write_bytes(code, cost->kind);
	assembler_store(code, PAD_BLOCK(heap.bytes), PAD_RAX, 8);
}

static void cost_begin(struct pad_draft *draft, struct pad_template *ret, uint32_t saved)
{
	ret->saved = saved;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, saved);
}

static void charge_pads(struct assembler *code, int32_t ticks)
{
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_store_constant(code, ASM_ADD, PAD_FRAME(PAD_RCX, ticks), ticks, 8);
	assembler_alu_store_constant(code, ASM_ADD, PAD_BLOCK(costs), 1, 8);
}

void pad_cost_write_entry(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_cost *cost = ret->probe->cost;
	const bool frees = cost_frees(cost);
	struct assembler *code = &draft->code;
	struct asm_fixup idle = {0};

	cost_begin(draft, ret, frees ? PAD_SAVED : COST_SAVED);
	if (frees)
		ret->full = pad_cost_jump_if_full(draft, 1);
	else
		idle = pad_draft_jump_if_idle(draft);
	if (cost->kind == COST_FREE) {
		charge_pads(code, draft->request->costs.heap / 2); /* one pad, not two */
	} else {
		assembler_address(code, PAD_RAX, PAD_RSP, 8);
		assembler_load(code, PAD_RCX, PAD_BLOCK(heap.cfa), 8);
		assembler_alu_constant(code, ASM_CMP, PAD_RCX, 0);
		ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
		if (frees)
			assembler_load(code, PAD_RDX, pad_draft_saved(PAD_RDX), 8);
		note_call(code, cost);
	}
	if (frees)
		write_freeing(draft, cost);
	else
		assembler_fix(code, idle);
	pad_draft_finish(draft, ret);
}

/* Another one is noted: is this one within it, or does it go on with it after a jump? */
void pad_cost_write_entry_rest(struct pad_draft *draft, const struct pad_template *entry)
{
	struct assembler *code = &draft->code;
	struct asm_fixup above, same, gone, gone_too;
	size_t fault, other;

	if (entry->full.at) {
		assembler_fix(code, entry->full);
		pad_draft_question(draft, entry);
	}
	if (!entry->unusual.at)
		return;
	assembler_fix(code, entry->unusual);
	assembler_alu(code, ASM_CMP, PAD_RAX, PAD_RCX);
	above = assembler_jump_if(code, ASM_ABOVE);
	same = assembler_jump_if(code, ASM_EQUAL);
	fault = pad_draft_load_return_address(draft);
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(heap.return_address));
	gone = assembler_jump_if(code, ASM_NOT_EQUAL);
	pad_draft_go_on(draft, entry->restore);
	assembler_fix(code, same);
	other = pad_draft_load_return_address(draft);
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(heap.return_address));
	gone_too = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(heap.function),
				     (int32_t)entry->probe->cost->number, 8);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, entry->restore);
	assembler_fix(code, above);
	assembler_fix(code, gone);
	assembler_fix(code, gone_too);
	draft->lists->faults.list[fault].resume = (uint32_t)code->size;
	draft->lists->faults.list[other].resume = (uint32_t)code->size;
	pad_draft_question(draft, entry);
}

/* Whether it allocates nothing. What is given to memset() is a block. */
static struct asm_fixup jump_if_failed(struct assembler *code, const struct pad_probe *probe)
{
	if (probe->gives_argument)
		return (struct asm_fixup){0};
	if (probe->cost->kind == COST_UNMAP)
		return assembler_jump(code);
	if (probe->cost->kind == COST_ALLOCATE_INTO) {
		assembler_move(code, PAD_RCX, PAD_RAX);
		assembler_shift(code, ASM_SHL, PAD_RCX, 32);
		assembler_alu_constant(code, ASM_CMP, PAD_RCX, 0);
		return assembler_jump_if(code, ASM_NOT_EQUAL);
	}
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, probe->cost->kind == COST_MAP ? -1 : 0);
	return assembler_jump_if(code, ASM_EQUAL);
}

static void write_site_event(struct pad_draft *draft)
{
	pad_cost_begin_event(draft, PAD_EVENT_SITE, 0);
	assembler_load(&draft->code, PAD_RAX, PAD_BLOCK(heap.return_address), 8);
	assembler_store(&draft->code, PAD_EVENT(a), PAD_RAX, 8);
	pad_cost_end_event(draft);
}

/* Afterwards rax is the result again. */
static void write_end_event(struct pad_draft *draft, const struct pad_probe *probe)
{
	struct assembler *code = &draft->code;
	size_t fault;

	if (probe->cost->sites)
		write_site_event(draft);
	pad_cost_begin_event(draft, PAD_EVENT_COST_END, probe->cost->number);
	assembler_load(code, PAD_RAX, PAD_BLOCK(heap.bytes), 8);
	assembler_store(code, PAD_EVENT(b), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, pad_draft_saved(PAD_RAX), 8);
	if (probe->cost->kind == COST_ALLOCATE_INTO) {
		assembler_load(code, PAD_RCX, cost_argument(0), 8);
		fault = pad_draft_load_word(draft, PAD_RCX, 0);
		assembler_store(code, PAD_EVENT(a), PAD_RCX, 8);
		draft->lists->faults.list[fault].resume = (uint32_t)code->size;
	} else {
		assembler_store(code, PAD_EVENT(a), probe->gives_argument ? PAD_RDI : PAD_RAX, 8);
	}
	pad_cost_end_event(draft);
}

void pad_cost_write_exit(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_cost *cost = ret->probe->cost;
	const bool into = cost->kind == COST_ALLOCATE_INTO;
	struct assembler *code = &draft->code;
	struct asm_fixup failed;

	cost_begin(draft, ret, cost->blocks ? PAD_SAVED : 1 << PAD_RCX | 1 << PAD_RDX);
	assembler_address(code, PAD_RCX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(heap.cfa));
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	if (cost->blocks)
		ret->full = pad_cost_jump_if_full(draft, cost->sites ? 2 : 1);
	if (cost->blocks && !into)
		write_end_event(draft, ret->probe);
	failed = jump_if_failed(code, ret->probe);
	if (cost->blocks && into)
		write_end_event(draft, ret->probe);
	assembler_load(code, PAD_RDX, PAD_BLOCK(heap.bytes), 8);
	assembler_alu_store(code, ASM_ADD, PAD_BLOCK(mem), PAD_RDX);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RCX, own_mem), PAD_RDX);
	if (failed.at)
		assembler_fix(code, failed);
	assembler_store_constant(code, PAD_BLOCK(heap.cfa), 0, 8);
	charge_pads(code, draft->request->costs.heap);
	pad_draft_finish(draft, ret);
}

/* Of one within another, or that was not noted. */
void pad_cost_write_exit_rest(struct pad_draft *draft, const struct pad_template *exit)
{
	struct assembler *code = &draft->code;

	if (exit->full.at) {
		assembler_fix(code, exit->full);
		pad_draft_question(draft, exit);
	}
	assembler_fix(code, exit->unusual);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(heap.cfa), 0, 8);
	assembler_jump_back_if(code, ASM_EQUAL, exit->restore);
	charge_pads(code, draft->request->costs.heap_inner);
	pad_draft_go_on(draft, exit->restore);
}

/* Before a jump out to code without probes: only if it is taken, by the noted call. */
void pad_cost_write_jump(struct pad_draft *draft, struct pad_template *ret)
{
	const struct insn *insn = ret->insn;
	struct assembler *code = &draft->code;
	struct asm_fixup taken, none = {0};

	cost_begin(draft, ret, 1 << PAD_RAX | 1 << PAD_RCX);
	if (insn->kind == INSN_JUMP_IF) {
		pad_draft_restore_flags(draft);
		taken = pad_moved_jump(code, insn);
		none = assembler_jump(code);
		assembler_fix(code, taken);
	}
	assembler_address(code, PAD_RCX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RCX,
			   ret->probe->kind == PAD_LOCK_JUMP ? PAD_BLOCK(locks.call.cfa)
							     : PAD_BLOCK(heap.cfa));
	ret->unusual = assembler_jump_if(code, ASM_EQUAL);
	if (none.at)
		assembler_fix(code, none);
	pad_draft_finish(draft, ret);
}

void pad_cost_write_jump_rest(struct pad_draft *draft, const struct pad_template *jump)
{
	assembler_fix(&draft->code, jump->unusual);
	pad_draft_question(draft, jump);
}
