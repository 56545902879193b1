/* The probe that ends a call, and makes a record of it if it was chosen. */
#include "pad_draft.h"

/* rax: now, becomes the call's ticks; rdx: the ticks of its callees' pads. The frame is in rcx. */
static void return_write_times(struct pad_draft *draft, const struct pad_function *function)
{
	struct assembler *code = &draft->code;

	assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_FRAME(PAD_RCX, start));
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, ticks), 8);
	assembler_alu(code, ASM_SUB, PAD_RAX, PAD_RDX);
	assembler_alu_constant(code, ASM_SUB, PAD_RAX, draft->request->costs.pair);
	assembler_alu_store_constant(code, ASM_ADD, PAD_SUMS(function, calls), 1, 8);
	assembler_alu_store(code, ASM_ADD, PAD_SUMS(function, ticks), PAD_RAX);
}

/* rax: now. What the thread has held since the call in rcx began. Changes rdx. */
static void return_write_held(struct assembler *code, const struct pad_function *function)
{
	if (!function->hold)
		return;
	assembler_move(code, PAD_RDX, PAD_RAX);
	assembler_alu_load(code, ASM_AND, PAD_RDX, PAD_BLOCK(locks.holding));
	assembler_alu_load(code, ASM_ADD, PAD_RDX, PAD_BLOCK(locks.held));
	assembler_alu_load(code, ASM_SUB, PAD_RDX, PAD_FRAME(PAD_RCX, held));
	assembler_store(code, PAD_FRAME(PAD_RCX, held), PAD_RDX, 8);
}

/* While locks are held: the ticks of pads in @reg are no time of the program. Changes it. */
static void leave_pads_out(struct assembler *code, const struct pad_function *function, int reg)
{
	if (!function->hold)
		return;
	assembler_alu_load(code, ASM_AND, reg, PAD_BLOCK(locks.holding));
	assembler_alu_store(code, ASM_SUB, PAD_BLOCK(locks.held), reg);
}

/*
 * Charge the caller in @caller with what locks have cost the call whose frame is @offset behind
 * @call, which is kept there. Changes rdx.
 */
static void charge_locks(struct assembler *code, const struct pad_function *function, int call,
			 int32_t offset, int caller)
{
	const struct asm_place waited = {call,
					 offset + (int32_t)offsetof(struct pad_frame, waited)};
	const struct asm_place held = {call, offset + (int32_t)offsetof(struct pad_frame, held)};

	if (function->wait) {
		assembler_load(code, PAD_RDX, PAD_BLOCK(locks.waited), 8);
		assembler_alu_load(code, ASM_SUB, PAD_RDX, waited);
		assembler_store(code, waited, PAD_RDX, 8);
		assembler_alu_store(code, ASM_ADD, PAD_FRAME(caller, inner_wait), PAD_RDX);
	}
	if (function->hold) {
		assembler_load(code, PAD_RDX, held, 8);
		assembler_alu_store(code, ASM_ADD, PAD_FRAME(caller, inner_hold), PAD_RDX);
	}
}

/* Count the call of rax ticks in the frame of its caller, if that was chosen. Changes @free. */
static void charge_by_function(struct assembler *code, const struct pad_function *function,
			       int caller, int free)
{
	const int32_t at = PAD_FRAME_SIZE + (int32_t)(function->callees * sizeof(uint64_t) +
						      function->number * sizeof(struct pad_callee));
	struct asm_fixup none;

	if (!function->n_callees)
		return;
	assembler_load(code, free, PAD_FRAME(caller, flags), 4);
	assembler_alu_constant(code, ASM_AND, free, PAD_CHOSEN);
	none = assembler_jump_if(code, ASM_EQUAL);
	assembler_alu_store_constant(
		code, ASM_ADD,
		(struct asm_place){caller, at + (int32_t)offsetof(struct pad_callee, calls)}, 1, 8);
	assembler_alu_store(
		code, ASM_ADD,
		(struct asm_place){caller, at + (int32_t)offsetof(struct pad_callee, ticks)},
		PAD_RAX);
	assembler_fix(code, none);
}

static int32_t call_cost(const struct pad_draft *draft)
{
	return draft->request->costs.call + draft->request->costs.pair;
}

/* rax: now. The frame in rcx is popped; then rcx is its caller's. */
static void end_plain(struct pad_draft *draft, const struct pad_function *function)
{
	struct assembler *code = &draft->code;

	return_write_held(code, function);
	return_write_times(draft, function);
	assembler_load(code, PAD_RCX, PAD_FRAME(PAD_RCX, previous), 8);
	assembler_store(code, PAD_BLOCK(top), PAD_RCX, 8);
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RCX, inner), PAD_RAX);
	assembler_alu_constant(code, ASM_ADD, PAD_RDX, call_cost(draft));
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RCX, ticks), PAD_RDX);
	charge_by_function(code, function, PAD_RCX, PAD_RDX);
	if (function->counts)
		assembler_alu_store_constant(code, ASM_ADD, PAD_FRAME(PAD_RCX, uncounted), 1, 8);
	charge_locks(code, function, PAD_RCX, -PAD_FRAME_SIZE, PAD_RCX);
	if (function->hold)
		assembler_constant(code, PAD_RAX, (uint64_t)call_cost(draft));
	leave_pads_out(code, function, PAD_RAX);
}

/* rcx = the innermost frame; is the call that returns its? */
static void return_compare_cfa(struct assembler *code)
{
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_address(code, PAD_RDX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, cfa));
}

void pad_return_write(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_function *function = ret->probe->function;
	struct assembler *code = &draft->code;

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	assembler_alu_store_constant(code, ASM_CMP, PAD_SUMS(function, closed), 0, 4);
	ret->closed = assembler_jump_if(code, ASM_NOT_EQUAL);
	/* Before all else, as it waits for that, too. */
	pad_draft_finish_work(draft);
	pad_draft_save(draft, PAD_SAVED);
	ret->followed = code->size;
	return_compare_cfa(code);
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	pad_draft_clock(draft);
	/* The function's number and no flags. */
	assembler_alu_store_constant(code, ASM_CMP, PAD_FRAME(PAD_RCX, function),
				     (int32_t)function->number, 8);
	ret->chosen = assembler_jump_if(code, ASM_NOT_EQUAL);
	end_plain(draft, function);
	ret->again = code->size;
	assembler_address(code, PAD_RDX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, cfa));
	ret->waiting = assembler_jump_if(code, ASM_EQUAL);
	pad_draft_finish(draft, ret);
}

/* The same as above for a chosen call, whose frame stays in rcx. */
static void end_chosen(struct pad_draft *draft, const struct pad_function *function)
{
	const bool timed = pad_draft_entry_is_timed(function);
	struct assembler *code = &draft->code;

	return_write_held(code, function);
	return_write_times(draft, function);
	assembler_store(code, PAD_FRAME(PAD_RCX, ticks), PAD_RAX, 8);
	assembler_load(code, PAD_RDI, PAD_FRAME(PAD_RCX, previous), 8);
	assembler_store(code, PAD_BLOCK(top), PAD_RDI, 8);
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RDI, inner), PAD_RAX);
	charge_by_function(code, function, PAD_RDI, PAD_RSI);
	if (timed) {
		assembler_load_signed(code, PAD_RAX, PAD_FRAME(PAD_RCX, cost));
		assembler_alu(code, ASM_ADD, PAD_RDX, PAD_RAX);
	}
	assembler_alu_constant(code, ASM_ADD, PAD_RDX, call_cost(draft));
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RDI, ticks), PAD_RDX);
	if (function->hold && timed)
		assembler_alu_constant(code, ASM_ADD, PAD_RAX, call_cost(draft));
	else if (function->hold)
		assembler_constant(code, PAD_RAX, (uint64_t)call_cost(draft));
	leave_pads_out(code, function, PAD_RAX);
	if (function->counts)
		pad_counting_charge(draft);
	charge_locks(code, function, PAD_RCX, 0, PAD_RDI);
}

static void copy_word(struct assembler *code, int32_t offset, unsigned size)
{
	assembler_load(code, PAD_RAX, (struct asm_place){PAD_RCX, offset}, size);
	assembler_store(code, (struct asm_place){PAD_RSI, offset + PAD_RING_OFFSET}, PAD_RAX, size);
}

#define COPY(field) \
	copy_word(code, offsetof(struct pad_frame, field), sizeof(((struct pad_frame *)0)->field))
#define RECORD(field) \
	((struct asm_place){PAD_RSI, PAD_RING_OFFSET + (int32_t)offsetof(struct pad_frame, field)})

/* The frame in rcx becomes a record at rsi + PAD_RING_OFFSET. Its caller's frame is in rdx then. */
static void copy_frame(struct assembler *code, const struct pad_function *function)
{
	assembler_store_constant(code, RECORD(previous), pad_draft_frame_size(function), 8);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, previous), 8);
	assembler_load(code, PAD_RAX, PAD_FRAME(PAD_RDX, id), 8);
	assembler_store(code, RECORD(cfa), PAD_RAX, 8);
	COPY(start);
	/* In sizes that they were stored in, else a load waits for the stores. */
	copy_word(code, offsetof(struct pad_frame, function), 8);
	COPY(id);
	COPY(ticks);
	COPY(inner);
	if (pad_draft_entry_is_timed(function)) {
		COPY(rank);
		COPY(cost);
	} else {
		copy_word(code, offsetof(struct pad_frame, rank), 8);
	}
	if (function->mem) {
		assembler_load(code, PAD_RAX, PAD_BLOCK(mem), 8);
		assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_FRAME(PAD_RCX, mem));
		assembler_store(code, RECORD(mem), PAD_RAX, 8);
		COPY(own_mem);
	}
	if (function->wait) {
		COPY(waited);
		COPY(inner_wait);
	}
	if (function->hold) {
		COPY(held);
		COPY(inner_hold);
	}
	if (function->counts)
		COPY(uncounted);
	COPY(before);
	for (uint32_t i = 0; i < function->n_words; i++)
		copy_word(code, (int32_t)(PAD_FRAME_SIZE + i * sizeof(uint64_t)), 8);
}

/* rsi + PAD_RING_OFFSET = where the record goes, rdi = the head behind it. */
static void find_room(struct assembler *code, int32_t size)
{
	struct asm_fixup before_end;

	assembler_load(code, PAD_RDX, PAD_BLOCK(head), 8);
	assembler_move(code, PAD_RSI, PAD_RDX);
	assembler_alu_constant(code, ASM_AND, PAD_RSI, PAD_RING_SIZE - 1);
	assembler_address(code, PAD_RDI, PAD_RDX, size);
	assembler_alu_constant(code, ASM_CMP, PAD_RSI, PAD_RING_SIZE - size);
	before_end = assembler_jump_if(code, ASM_NOT_ABOVE);
	assembler_move(code, PAD_RDI, PAD_RDX);
	assembler_alu_constant(code, ASM_OR, PAD_RDI, PAD_RING_SIZE - 1);
	assembler_alu_constant(code, ASM_ADD, PAD_RDI, 1);
	assembler_fix(code, before_end);
	assembler_alu_load(code, ASM_ADD, PAD_RSI, PAD_BLOCK(address));
}

static void write_record(struct pad_draft *draft, const struct pad_function *function)
{
	const struct pad_costs *costs = &draft->request->costs;
	struct assembler *code = &draft->code;
	struct asm_fixup is_least;
	size_t low;

	find_room(code, pad_draft_frame_size(function));
	low = code->size;
	copy_frame(code, function);
	pad_draft_stretch(draft, low);
	assembler_load(code, PAD_RAX, PAD_SUMS(function, limit), 8);
	assembler_alu_load(code, ASM_CMP, PAD_RAX, PAD_FRAME(PAD_RCX, limit));
	is_least = assembler_jump_if(code, ASM_NOT_ABOVE);
	assembler_load(code, PAD_RAX, PAD_FRAME(PAD_RCX, limit), 8);
	assembler_fix(code, is_least);
	assembler_store(code, RECORD(limit), PAD_RAX, 8);
	/* Of the limit nothing is left but whether it was below PAD_RANK_ALL. */
	assembler_shift(code, ASM_SHR, PAD_RAX, 32);
	assembler_alu_constant(code, ASM_SUB, PAD_RAX, 1);
	assembler_alu_constant(code, ASM_AND, PAD_RAX, costs->drawn);
	assembler_alu_constant(code, ASM_ADD, PAD_RAX,
			       costs->record + costs->word * (int32_t)function->n_words);
	assembler_alu_store(code, ASM_ADD, PAD_FRAME(PAD_RDX, ticks), PAD_RAX);
	leave_pads_out(code, function, PAD_RAX);
	assembler_store(code, PAD_BLOCK(head), PAD_RDI, 8);
}

/* Halve the limit if this was the last of the budget. */
static void spend_budget(struct assembler *code, const struct pad_function *function)
{
	struct asm_fixup some_left, is_1;

	assembler_alu_store_constant(code, ASM_SUB, PAD_SUMS(function, left), 1, 8);
	some_left = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_store_constant(code, PAD_SUMS(function, left), PAD_BUDGET, 8);
	assembler_load(code, PAD_RAX, PAD_SUMS(function, limit), 8);
	assembler_shift(code, ASM_SHR, PAD_RAX, 1);
	is_1 = assembler_jump_if(code, ASM_EQUAL);
	assembler_store(code, PAD_SUMS(function, limit), PAD_RAX, 8);
	assembler_fix(code, is_1);
	assembler_fix(code, some_left);
}

/* The rank is in rdx. */
static void lose_record(struct assembler *code, const struct pad_function *function)
{
	struct asm_fixup not_0;

	assembler_alu_store_constant(code, ASM_ADD, PAD_SUMS(function, lost), 1, 8);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, rank), 4);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
	not_0 = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_constant(code, PAD_RDX, 1);
	assembler_fix(code, not_0);
	assembler_store(code, PAD_SUMS(function, limit), PAD_RDX, 8);
}

/* Behind a chosen call's record, as behind a plain call. */
static void leave(struct pad_draft *draft, const struct pad_template *end, uint32_t saved)
{
	pad_draft_restore(draft, saved & ~PAD_SAVED);
	assembler_load(&draft->code, PAD_RCX, PAD_BLOCK(top), 8);
	pad_draft_go_on(draft, end->again);
}

/* Of a call that was chosen: the frame is in rcx, the time in rax. */
static void write_chosen_end(struct pad_draft *draft, const struct pad_template *end)
{
	const struct pad_function *function = end->probe->function;
	const uint32_t mine =
		PAD_SAVED | 1 << PAD_RSI | 1 << PAD_RDI | (function->counts ? PAD_COUNTING : 0);
	struct assembler *code = &draft->code;
	struct asm_fixup none, gone = {0}, full, impatient, unheard;
	uint32_t saved;
	size_t again;

	pad_draft_save(draft, mine & ~PAD_SAVED);
	if (function->counts)
		pad_counting_end(draft, function);
	end_chosen(draft, function);
	if (function->events)
		pad_cost_write_call_event(draft, PAD_EVENT_END);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, rank), 4);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_SUMS(function, limit));
	none = assembler_jump_if(code, ASM_NOT_BELOW);
	again = code->size;
	if (pad_draft_loads(function, PAD_RETURN))
		gone = pad_draft_jump_if_gone(draft);
	assembler_load(code, PAD_RAX, PAD_BLOCK(head), 8);
	assembler_alu_load(code, ASM_SUB, PAD_RAX, PAD_BLOCK(tail));
	assembler_alu_constant(code, ASM_CMP, PAD_RAX,
			       PAD_RING_SIZE - pad_draft_frame_size(function));
	full = assembler_jump_if(code, ASM_ABOVE);
	saved = pad_draft_read_features(draft, end, mine);
	write_record(draft, function);
	spend_budget(code, function);
	leave(draft, end, saved);
	assembler_fix(code, full);
	assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(patient), 0, 8);
	impatient = assembler_jump_if(code, ASM_EQUAL);
	unheard = pad_draft_jump_if_gone(draft);
	pad_draft_ask_for_room(draft);
	pad_draft_go_on(draft, again);
	assembler_fix(code, impatient);
	lose_record(code, function);
	assembler_fix(code, none);
	assembler_fix(code, gone);
	assembler_fix(code, unheard);
	leave(draft, end, mine);
}

/*
 * Of a function that is closed: a program is not made to wait for memory in calls that are not
 * followed. What follows is for these.
 */
static void return_write_closed(struct pad_draft *draft, const struct pad_template *end)
{
	struct assembler *code = &draft->code;
	struct asm_fixup unusual;

	assembler_fix(code, end->closed);
	pad_draft_save(draft, PAD_SAVED);
	return_compare_cfa(code);
	unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	pad_draft_finish_work(draft);
	pad_draft_go_on(draft, end->followed);
	assembler_fix(code, unusual);
}

void pad_return_write_rest(struct pad_draft *draft, struct pad_template *end)
{
	const struct pad_function *function = end->probe->function;
	const bool loads = pad_draft_loads(function, PAD_RETURN);
	struct assembler *code = &draft->code;
	struct asm_fixup usual, flagged, careful, full, above;

	assembler_fix(code, end->chosen);
	assembler_constant(code, PAD_RDX, (uint64_t)PAD_CHOSEN << 32 | function->number);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, function));
	usual = assembler_jump_if(code, ASM_EQUAL);
	assembler_constant(code, PAD_RDX,
			   (uint64_t)(PAD_CHOSEN | PAD_VALUES) << 32 | function->number);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, function));
	flagged = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_fix(code, usual);
	if (function->events)
		full = pad_cost_jump_if_full(draft, 1);
	if (loads)
		careful = pad_draft_jump_if_careful(draft, function);
	write_chosen_end(draft, end);
	assembler_fix(code, end->waiting);
	pad_tail_write_ends(draft, end, 8);
	assembler_fix(code, flagged);
	if (function->events)
		assembler_fix(code, full);
	if (loads)
		assembler_fix(code, careful);
	pad_tail_write_ends_if(draft, end);
	pad_draft_question(draft, end);
	return_write_closed(draft, end);
	assembler_fix(code, end->unusual);
	above = assembler_jump_if(code, ASM_ABOVE);
	pad_draft_go_on_if_unseen(draft, end);
	assembler_fix(code, above);
	pad_draft_question(draft, end);
}

/* The frame is in rcx, rax is now; all that probes save is saved. */
void pad_return_write_end(struct pad_draft *draft, struct pad_template *ret)
{
	static const uint8_t jmp_scratch[] = {0x65, 0xff, 0x24, 0x25};
	const struct pad_function *function = ret->probe->function;
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_CHOSEN);
	ret->chosen = assembler_jump_if(code, ASM_NOT_EQUAL);
	end_plain(draft, function);
	ret->again = code->size;
	assembler_bytes(code, jmp_scratch, sizeof(jmp_scratch));
	assembler_word(code, offsetof(struct pad_block, scratch));
}

void pad_return_write_end_rest(struct pad_draft *draft, const struct pad_template *end)
{
	assembler_fix(&draft->code, end->chosen);
	write_chosen_end(draft, end);
}
