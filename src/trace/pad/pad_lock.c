/*
 * The probes of functions that lock, release or wait: the outermost of those called within each
 * other is noted in the block where it begins. Where it ends, its time is added to `waited`, if it
 * is one that waits, and the lock to those that the thread holds, or it is removed from them. The
 * same as trace/cost/locks.c does at stops, which is asked where that cannot be decided here: a
 * lock is released that was not seen to be taken, or there are too many.
 */
#include "pad_draft.h"

#include <errno.h>

/* Conditional jumps to the question, which is the last thing in an exit's rest. */
struct asks {
	struct asm_fixup jumps[4];
	unsigned n;
};

static bool is_release(enum cost_call_kind kind)
{
	return kind == COST_LOCK_RELEASE || kind == COST_LOCK_RELEASE_SPIN;
}

static bool is_take(enum cost_call_kind kind)
{
	return kind == COST_LOCK_TAKE || kind == COST_LOCK_TAKE_SPIN || kind == COST_LOCK_TRY;
}

void pad_lock_write_entry(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_cost *cost = ret->probe->cost;
	struct assembler *code = &draft->code;
	struct asm_fixup idle = {0};

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, PAD_SAVED);
	if (!cost->hold)
		idle = pad_draft_jump_if_idle(draft);
	assembler_address(code, PAD_RAX, PAD_RSP, 8);
	assembler_load(code, PAD_RCX, PAD_BLOCK(locks.call.cfa), 8);
	assembler_alu_constant(code, ASM_CMP, PAD_RCX, 0);
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_store(code, PAD_BLOCK(locks.call.cfa), PAD_RAX, 8);
	assembler_load(code, PAD_RCX, (struct asm_place){PAD_RSP, 0}, 8);
	assembler_store(code, PAD_BLOCK(locks.call.return_address), PAD_RCX, 8);
	assembler_store_constant(code, PAD_BLOCK(locks.call.function), (int32_t)cost->number, 4);
	assembler_store_constant(code, PAD_BLOCK(locks.call.kind), (int32_t)cost->kind, 4);
	assembler_store(code, PAD_BLOCK(locks.call.object),
			cost->kind == COST_CONDITION_WAIT ? PAD_RSI : PAD_RDI, 8);
	assembler_load(code, PAD_RCX, PAD_BLOCK(heap.cfa), 8);
	assembler_store(code, PAD_BLOCK(locks.call.inside), PAD_RCX, 8);
	if (cost->kind != COST_LOCK_TRY) {
		pad_draft_clock(draft);
		assembler_store(code, PAD_BLOCK(locks.call.begin), PAD_RAX, 8);
	}
	if (idle.at)
		assembler_fix(code, idle);
	pad_draft_finish(draft, ret);
}

/* Another one is noted: is this one within it, or does it go on with it? */
void pad_lock_write_entry_rest(struct pad_draft *draft, const struct pad_template *entry)
{
	const struct pad_cost *cost = entry->probe->cost;
	struct assembler *code = &draft->code;
	struct asm_fixup above, gone;
	size_t fault;

	assembler_fix(code, entry->unusual);
	assembler_alu(code, ASM_CMP, PAD_RAX, PAD_RCX);
	above = assembler_jump_if(code, ASM_ABOVE);
	fault = pad_draft_load_return_address(draft);
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(locks.call.return_address));
	gone = assembler_jump_if(code, ASM_NOT_EQUAL);
	if (cost->kind == COST_LOCK_TAKE_SPIN) /* its entry may be that of a loop */
		pad_draft_go_on(draft, entry->restore);
	assembler_alu_load(code, ASM_CMP, PAD_RAX, PAD_BLOCK(locks.call.cfa));
	assembler_jump_back_if(code, ASM_NOT_EQUAL, entry->restore);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.call.function),
				     (int32_t)cost->number, 4);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, entry->restore);
	assembler_fix(code, above);
	assembler_fix(code, gone);
	draft->lists->faults.list[fault].resume = (uint32_t)code->size;
	pad_draft_question(draft, entry);
}

void pad_lock_write_exit(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, PAD_SAVED);
	assembler_address(code, PAD_RCX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(locks.call.cfa));
	ret->chosen = assembler_jump_if(code, ASM_EQUAL);
	pad_draft_finish(draft, ret);
}

static void ask_if(struct assembler *code, enum asm_condition condition, struct asks *asks)
{
	asks->jumps[asks->n++] = assembler_jump_if(code, condition);
}

/* A field of the element of `list` that rcx is the offset of, from the block on. */
#define HELD(base, field)                                                            \
	((struct asm_place){base, (int32_t)(offsetof(struct pad_block, locks.list) + \
					    offsetof(struct pad_held, field))})

/* @reg = the block's address, and so much more as element `n` is behind the first one. */
static void write_element_n(struct assembler *code, int reg)
{
	assembler_load(code, reg, PAD_BLOCK(locks.n), 8);
	assembler_shift(code, ASM_SHL, reg, 4);
	assembler_alu_load(code, ASM_ADD, reg, PAD_BLOCK(address));
	_Static_assert(sizeof(struct pad_held) == 1 << 4, "the shift");
}

/* rcx = the element of the operation's lock, the last one first. Changes rdx. */
static struct asm_fixup jump_if_not_held(struct assembler *code, struct asks *asks)
{
	struct asm_fixup none;
	size_t again;

	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.n), PAD_HELD_MAX, 8);
	ask_if(code, ASM_ABOVE, asks);
	assembler_load(code, PAD_RDX, PAD_BLOCK(locks.call.object), 8);
	write_element_n(code, PAD_RCX);
	again = code->size;
	assembler_alu_load(code, ASM_CMP, PAD_RCX, PAD_BLOCK(address));
	none = assembler_jump_if(code, ASM_EQUAL);
	assembler_alu_constant(code, ASM_SUB, PAD_RCX, sizeof(struct pad_held));
	assembler_alu_load(code, ASM_CMP, PAD_RDX, HELD(PAD_RCX, object));
	assembler_jump_back_if(code, ASM_NOT_EQUAL, again);
	return none;
}

/* Jump if the operation's result is not 0; with @owner_dead, nor is that of a lock that it has. */
static struct asm_fixup jump_if_lock_failed(struct assembler *code, bool owner_dead)
{
	struct asm_fixup ok = {0}, failed;

	assembler_load(code, PAD_RDX, pad_draft_saved(PAD_RAX), 4);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
	if (!owner_dead)
		return assembler_jump_if(code, ASM_NOT_EQUAL);
	ok = assembler_jump_if(code, ASM_EQUAL);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, EOWNERDEAD);
	failed = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_fix(code, ok);
	return failed;
}

/* Of the time that locks are held: the pads in it, halves of those that begin and end it. */
static void leave_out(struct pad_draft *draft)
{
	assembler_alu_store_constant(&draft->code, ASM_SUB, PAD_BLOCK(locks.held),
				     draft->request->costs.lock, 8);
}

static void write_take(struct pad_draft *draft, struct asks *asks)
{
	struct assembler *code = &draft->code;
	struct asm_fixup failed = jump_if_lock_failed(code, true);
	struct asm_fixup none = jump_if_not_held(code, asks), again, others, first;

	assembler_alu_store_constant(code, ASM_ADD, HELD(PAD_RCX, count), 1, 8);
	again = assembler_jump(code);
	assembler_fix(code, none);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.n), PAD_HELD_MAX, 8);
	ask_if(code, ASM_EQUAL, asks);
	write_element_n(code, PAD_RCX);
	assembler_store(code, HELD(PAD_RCX, object), PAD_RDX, 8);
	assembler_store_constant(code, HELD(PAD_RCX, count), 1, 8);
	assembler_alu_store_constant(code, ASM_ADD, PAD_BLOCK(locks.n), 1, 8);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.n), 1, 8);
	others = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RAX, PAD_BLOCK(locks.call.end), 8);
	assembler_alu_store(code, ASM_SUB, PAD_BLOCK(locks.held), PAD_RAX);
	assembler_store_constant(code, PAD_BLOCK(locks.holding), -1, 8);
	first = assembler_jump(code);
	assembler_fix(code, others);
	assembler_fix(code, again);
	leave_out(draft);
	assembler_fix(code, first);
	assembler_fix(code, failed);
}

static void copy_held(struct assembler *code, int to, int from)
{
	assembler_load(code, PAD_RDX, HELD(from, object), 8);
	assembler_store(code, HELD(to, object), PAD_RDX, 8);
	assembler_load(code, PAD_RDX, HELD(from, count), 8);
	assembler_store(code, HELD(to, count), PAD_RDX, 8);
}

static void write_release(struct pad_draft *draft, struct asks *asks)
{
	struct assembler *code = &draft->code;
	struct asm_fixup failed = jump_if_lock_failed(code, false);
	struct asm_fixup none = jump_if_not_held(code, asks), counted, others;

	assembler_alu_store_constant(code, ASM_SUB, HELD(PAD_RCX, count), 1, 8);
	counted = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_alu_store_constant(code, ASM_SUB, PAD_BLOCK(locks.n), 1, 8);
	write_element_n(code, PAD_RAX);
	copy_held(code, PAD_RCX, PAD_RAX);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.n), 0, 8);
	others = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RAX, PAD_BLOCK(locks.call.begin), 8);
	assembler_alu_store(code, ASM_ADD, PAD_BLOCK(locks.held), PAD_RAX);
	assembler_store_constant(code, PAD_BLOCK(locks.holding), 0, 8);
	assembler_fix(code, others);
	assembler_fix(code, counted);
	leave_out(draft);
	assembler_fix(code, failed);
	asks->jumps[asks->n++] = none;
}

/* The mutex was released meanwhile, and taken again. */
static void write_apart(struct pad_draft *draft, struct asks *asks)
{
	struct assembler *code = &draft->code;
	struct asm_fixup none = jump_if_not_held(code, asks), others, counted;

	asks->jumps[asks->n++] = none;
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.n), 1, 8);
	others = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_alu_store_constant(code, ASM_CMP, HELD(PAD_RCX, count), 1, 8);
	counted = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RAX, PAD_BLOCK(locks.call.end), 8);
	assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_BLOCK(locks.call.begin));
	assembler_alu_store(code, ASM_SUB, PAD_BLOCK(locks.held), PAD_RAX);
	assembler_fix(code, others);
	assembler_fix(code, counted);
	leave_out(draft);
}

static void write_waited(struct pad_draft *draft)
{
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RAX, PAD_BLOCK(locks.call.end), 8);
	assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_BLOCK(locks.call.begin));
	assembler_alu_constant(code, ASM_SUB, PAD_RAX, draft->request->costs.pair);
	assembler_alu_store(code, ASM_ADD, PAD_BLOCK(locks.waited), PAD_RAX);
}

static void write_condition(struct pad_draft *draft, const struct pad_cost *cost, struct asks *asks)
{
	static const int parted[] = {0, ETIMEDOUT, EOWNERDEAD};
	struct assembler *code = &draft->code;
	struct asm_fixup jumps[3], failed;

	assembler_load(code, PAD_RDX, pad_draft_saved(PAD_RAX), 4);
	for (size_t i = 0; i < 3; i++) {
		assembler_alu_constant(code, ASM_CMP, PAD_RDX, parted[i]);
		jumps[i] = assembler_jump_if(code, ASM_EQUAL);
	}
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, ENOTRECOVERABLE);
	ask_if(code, ASM_EQUAL, asks);
	failed = assembler_jump(code);
	for (size_t i = 0; i < 3; i++)
		assembler_fix(code, jumps[i]);
	if (cost->hold)
		write_apart(draft, asks);
	write_waited(draft);
	assembler_fix(code, failed);
}

static void write_operation(struct pad_draft *draft, const struct pad_cost *cost, struct asks *asks)
{
	if (is_take(cost->kind) && cost->hold)
		write_take(draft, asks);
	if (is_release(cost->kind) && cost->hold)
		write_release(draft, asks);
	if (cost->kind == COST_CONDITION_WAIT)
		write_condition(draft, cost, asks);
	else if (!is_release(cost->kind) && cost->kind != COST_LOCK_TRY)
		write_waited(draft);
}

static void charge_lock_pads(struct pad_draft *draft)
{
	const int32_t ticks = draft->request->costs.lock;
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_store_constant(code, ASM_ADD, PAD_FRAME(PAD_RCX, ticks), ticks, 8);
	assembler_alu_store_constant(code, ASM_ADD, PAD_BLOCK(locks.operations), 1, 8);
}

void pad_lock_write_exit_rest(struct pad_draft *draft, const struct pad_template *exit)
{
	const struct pad_cost *cost = exit->probe->cost;
	struct assembler *code = &draft->code;
	struct asks asks = {.n = 0};

	assembler_fix(code, exit->chosen);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(locks.call.kind), (int32_t)cost->kind,
				     4);
	ask_if(code, ASM_NOT_EQUAL, &asks);
	if (!is_release(cost->kind)) {
		pad_draft_finish_work(draft);
		pad_draft_clock(draft);
		assembler_store(code, PAD_BLOCK(locks.call.end), PAD_RAX, 8);
	}
	write_operation(draft, cost, &asks);
	assembler_store_constant(code, PAD_BLOCK(locks.call.cfa), 0, 8);
	charge_lock_pads(draft);
	pad_draft_go_on(draft, exit->restore);
	while (asks.n)
		assembler_fix(code, asks.jumps[--asks.n]);
	pad_draft_question(draft, exit);
}
