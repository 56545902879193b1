/* The probe that begins a call. */
#include "pad_draft.h"

/* rdx = the call's CFA. Its plan is one register and what is added to it, see pad_code.c. */
static void write_cfa(struct pad_draft *draft, const struct pad_function *function)
{
	const struct read_plan *plan = function->cfa.plan;
	const int reg = (int)plan->steps[0].arg;
	int32_t offset = 0;

	for (unsigned i = 1; i < plan->n_steps; i++)
		offset += (int32_t)plan->steps[i].arg;
	if (reg > PAD_RCX) {
		assembler_address(&draft->code, PAD_RDX, reg, offset);
		return;
	}
	assembler_load(&draft->code, PAD_RDX, pad_draft_saved(reg), 8);
	assembler_alu_constant(&draft->code, ASM_ADD, PAD_RDX, offset);
}

/* rax = the call's rank. */
static void write_draw(struct assembler *code)
{
	assembler_multiply_load(code, PAD_RAX, PAD_BLOCK(chance), PAD_CHANCE_FACTOR);
	assembler_alu_constant(code, ASM_ADD, PAD_RAX, PAD_CHANCE_STEP);
	assembler_store(code, PAD_BLOCK(chance), PAD_RAX, 8);
	assembler_shift(code, ASM_SHR, PAD_RAX, 32);
}

/*
 * Go down to a new frame of @size bytes below the one in rcx, of the call whose CFA is in rdx. All
 * but rank, cost and start.
 */
static void write_frame(struct pad_draft *draft, const struct pad_function *function, int32_t size,
			enum pad_frame_flag flags)
{
	struct assembler *code = &draft->code;

	assembler_store(code, (struct asm_place){PAD_RCX, -size}, PAD_RCX, 8);
	assembler_alu_constant(code, ASM_SUB, PAD_RCX, size);
	assembler_store(code, PAD_FRAME(PAD_RCX, cfa), PAD_RDX, 8);
	/* As one word: a return compares both at once. */
	if (flags) {
		assembler_constant(code, PAD_RDX, (uint64_t)flags << 32 | function->number);
		assembler_store(code, PAD_FRAME(PAD_RCX, function), PAD_RDX, 8);
	} else {
		assembler_store_constant(code, PAD_FRAME(PAD_RCX, function),
					 (int32_t)function->number, 8);
	}
	assembler_load(code, PAD_RDX, PAD_BLOCK(last_id), 8);
	assembler_alu_constant(code, ASM_ADD, PAD_RDX, 1);
	assembler_store(code, PAD_BLOCK(last_id), PAD_RDX, 8);
	assembler_store(code, PAD_FRAME(PAD_RCX, id), PAD_RDX, 8);
	assembler_store_constant(code, PAD_FRAME(PAD_RCX, ticks), 0, 8);
	assembler_store_constant(code, PAD_FRAME(PAD_RCX, inner), 0, 8);
	if (function->wait) {
		assembler_store_constant(code, PAD_FRAME(PAD_RCX, inner_wait), 0, 8);
		assembler_load(code, PAD_RDX, PAD_BLOCK(locks.waited), 8);
		assembler_store(code, PAD_FRAME(PAD_RCX, waited), PAD_RDX, 8);
	}
	if (function->hold)
		assembler_store_constant(code, PAD_FRAME(PAD_RCX, inner_hold), 0, 8);
}

/* What the thread had held when the call in rcx began, at rax. */
static void entry_write_held(struct assembler *code, const struct pad_function *function)
{
	if (!function->hold)
		return;
	assembler_alu_load(code, ASM_AND, PAD_RAX, PAD_BLOCK(locks.holding));
	assembler_alu_load(code, ASM_ADD, PAD_RAX, PAD_BLOCK(locks.held));
	assembler_store(code, PAD_FRAME(PAD_RCX, held), PAD_RAX, 8);
}

/* Then rdx is the call's CFA, and rax its rank. */
static void write_checks(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_function *function = ret->probe->function;
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	write_cfa(draft, function);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, cfa));
	ret->unusual = assembler_jump_if(code, ASM_NOT_BELOW);
	if (function->probe_in_loop) {
		ret->elsewhere = pad_draft_jump_if_elsewhere(draft);
		write_cfa(draft, function);
	}
	ret->again = code->size;
	assembler_address(code, PAD_RAX, PAD_RCX,
			  -pad_draft_frame_size(function) - PAD_FRAMES_OFFSET);
	assembler_alu_load(code, ASM_CMP, PAD_RAX, PAD_BLOCK(address));
	ret->deep = assembler_jump_if(code, ASM_BELOW);
	write_draw(code);
	assembler_alu_load(code, ASM_CMP, PAD_RAX, PAD_SUMS(function, limit));
	ret->chosen = assembler_jump_if(code, ASM_BELOW);
}

/* rax = now. Where own times matter, only when what the caller had begun is done: that is its. */
static void write_clock(struct pad_draft *draft, const struct pad_function *function)
{
	if (function->own)
		pad_draft_finish_work(draft);
	pad_draft_clock(draft);
}

/* A call that is not chosen. Its clock is read last, so that little of the pad is in its time. */
static void write_plain_call(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_function *function = ret->probe->function;
	struct assembler *code = &draft->code;

	write_frame(draft, function, PAD_FRAME_SIZE, 0);
	assembler_store(code, PAD_FRAME(PAD_RCX, rank), PAD_RAX, 8); /* and no cost */
	write_clock(draft, function);
	assembler_store(code, PAD_FRAME(PAD_RCX, start), PAD_RAX, 8);
	entry_write_held(code, function);
	ret->publish = code->size;
	assembler_store(code, PAD_BLOCK(top), PAD_RCX, 8);
	assembler_alu_store_constant(code, ASM_ADD, PAD_SUMS(function, begun), 1, 8);
}

/* Nothing else may be in `filter` than what this one leaves there. */
static struct asm_fixup write_filter(struct pad_draft *draft, const struct pad_template *entry,
				     const struct pad_plan *plan)
{
	struct assembler *code = &draft->code;

	assembler_store_constant(code, PAD_BLOCK(filter[0]), 0, 8);
	assembler_store_constant(code, PAD_BLOCK(filter[1]), 0, 8);
	pad_draft_run_filter(draft, entry, plan);
	assembler_load(code, PAD_RAX, PAD_BLOCK(filter[0]), 8);
	assembler_alu_load(code, ASM_OR, PAD_RAX, PAD_BLOCK(filter[1]));
	return assembler_jump_if(code, ASM_NOT_EQUAL);
}

/* Where the tracer is gone no pointer is followed. */
static struct asm_fixup write_filters(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_function *function = ret->probe->function;
	const struct asm_fixup gone = pad_draft_jump_if_gone(draft);

	ret->careful = pad_draft_jump_if_careful(draft, function);
	for (size_t i = 0; i < function->n_filters; i++)
		ret->filtered[i] = write_filter(draft, ret, &function->filters[i]);
	return gone;
}

void pad_entry_write(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;
	const bool flags = ret->probe->flags_live;
	const bool filters = ret->probe->function->n_filters > 0;
	struct asm_fixup gone;

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	if (flags)
		pad_draft_save(draft, PAD_SAVED);
	assembler_alu_store_constant(code, ASM_CMP, PAD_SUMS(ret->probe->function, closed), 0, 4);
	ret->closed = assembler_jump_if(code, ASM_NOT_EQUAL);
	if (!flags)
		pad_draft_save(draft, PAD_SAVED);
	if (filters)
		gone = write_filters(draft, ret);
	write_checks(draft, ret);
	write_plain_call(draft, ret);
	if (filters)
		assembler_fix(code, gone);
	pad_draft_finish(draft, ret);
}

/* The frame in rcx: words that features and branches change bit by bit and byte by byte. */
static void clear_words(struct assembler *code, const struct pad_function *function)
{
	for (uint32_t i = 0; i < function->n_words; i++)
		if (i < function->n_absent ||
		    (i >= function->branches &&
		     i - function->branches < (function->n_branches + 7) / 8))
			assembler_store_constant(
				code,
				(struct asm_place){PAD_RCX, (int32_t)(PAD_FRAME_SIZE + i * 8)}, 0,
				8);
}

/* The rank is in rax, the CFA in rdx. A cost that is measured is written when it is known. */
static void write_chosen_frame(struct pad_draft *draft, const struct pad_function *function)
{
	struct assembler *code = &draft->code;

	write_frame(draft, function, pad_draft_frame_size(function), PAD_CHOSEN);
	assembler_store(code, PAD_FRAME(PAD_RCX, rank), PAD_RAX,
			pad_draft_entry_is_timed(function) ? 4 : 8);
	assembler_load(code, PAD_RDX, PAD_SUMS(function, limit), 8);
	assembler_store(code, PAD_FRAME(PAD_RCX, limit), PAD_RDX, 8);
	if (function->mem) {
		assembler_load(code, PAD_RDX, PAD_BLOCK(mem), 8);
		assembler_store(code, PAD_FRAME(PAD_RCX, mem), PAD_RDX, 8);
		assembler_store_constant(code, PAD_FRAME(PAD_RCX, own_mem), 0, 8);
	}
	if (function->counts)
		assembler_store_constant(code, PAD_FRAME(PAD_RCX, uncounted), 0, 8);
	assembler_load(code, PAD_RDX, PAD_SUMS(function, begun), 8);
	assembler_alu_load(code, ASM_ADD, PAD_RDX,
			   (struct asm_place){-1, (int32_t)pad_block_elsewhere(function->number)});
	assembler_store(code, PAD_FRAME(PAD_RCX, before), PAD_RDX, 8);
	clear_words(code, function);
}

/* What reading and counting took is the cost; the call begins behind it. */
static void write_timed_features(struct pad_draft *draft, const struct pad_template *entry)
{
	struct assembler *code = &draft->code;
	const struct pad_function *function = entry->probe->function;
	uint32_t saved = pad_draft_read_features(draft, entry, PAD_SAVED);

	if (function->counts) {
		pad_draft_save(draft, PAD_COUNTING & ~saved);
		saved |= PAD_COUNTING;
		pad_counting_begin(draft, function);
	}
	pad_draft_restore(draft, saved & ~PAD_SAVED);
	if (function->events)
		pad_cost_write_call_event(draft, PAD_EVENT_CALL);
	pad_draft_clock(draft);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, start), 8);
	assembler_store(code, PAD_FRAME(PAD_RCX, start), PAD_RAX, 8);
	assembler_alu(code, ASM_SUB, PAD_RAX, PAD_RDX);
	assembler_store(code, PAD_FRAME(PAD_RCX, cost), PAD_RAX, 4);
	assembler_alu(code, ASM_ADD, PAD_RAX, PAD_RDX);
}

static void write_chosen(struct pad_draft *draft, const struct pad_template *entry)
{
	const struct pad_function *function = entry->probe->function;
	const bool loads = pad_draft_loads(function, PAD_ENTRY);
	const bool timed = pad_draft_entry_is_timed(function);
	struct assembler *code = &draft->code;
	struct asm_fixup gone, careful, allocating, full;

	assembler_fix(code, entry->chosen);
	if (function->mem) { /* whose parts do not count */
		assembler_alu_store_constant(code, ASM_CMP, PAD_BLOCK(heap.cfa), 0, 8);
		allocating = assembler_jump_if(code, ASM_NOT_EQUAL);
	}
	if (function->events) {
		full = pad_cost_jump_if_full(draft, 1);
		write_cfa(draft, function);
	}
	if (loads)
		careful = pad_draft_jump_if_careful(draft, function);
	write_chosen_frame(draft, function);
	if (!timed)
		pad_draft_restore(draft,
				  pad_draft_read_features(draft, entry, PAD_SAVED) & ~PAD_SAVED);
	write_clock(draft, function);
	if (timed)
		gone = pad_draft_jump_if_gone(draft);
	assembler_store(code, PAD_FRAME(PAD_RCX, start), PAD_RAX, 8);
	if (timed)
		write_timed_features(draft, entry);
	entry_write_held(code, function);
	pad_draft_go_on(draft, entry->publish);
	if (timed) {
		assembler_fix(code, gone);
		pad_draft_go_on(draft, entry->restore);
	}
	if (loads)
		assembler_fix(code, careful);
	if (function->mem)
		assembler_fix(code, allocating);
	if (function->events)
		assembler_fix(code, full);
	if (loads || function->mem || function->events)
		pad_draft_question(draft, entry);
}

/* The CFA is not below the innermost frame's. */
static void write_unusual(struct pad_draft *draft, const struct pad_template *entry)
{
	const struct pad_function *function = entry->probe->function;
	struct assembler *code = &draft->code;
	struct asm_fixup above, not_waiting, other;

	assembler_fix(code, entry->unusual);
	above = assembler_jump_if(code, ASM_ABOVE);
	assembler_load(code, PAD_RAX, (struct asm_place){PAD_RDX, -8}, 8);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_WAITING);
	not_waiting = assembler_jump_if(code, ASM_EQUAL);
	/* With another return address, or of itself, it is not the callee of those that wait. */
	assembler_alu_load(code, ASM_CMP, PAD_RAX, PAD_FRAME(PAD_RCX, return_address));
	other = assembler_jump_if(code, ASM_NOT_EQUAL);
	write_cfa(draft, function);
	assembler_alu_store_constant(code, ASM_CMP, PAD_FRAME(PAD_RCX, function),
				     (int32_t)function->number, 4);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, entry->again);
	assembler_fix(code, not_waiting);
	if (function->probe_in_loop) {
		assembler_alu_store_constant(code, ASM_CMP, PAD_FRAME(PAD_RCX, function),
					     (int32_t)function->number, 4);
		assembler_jump_back_if(code, ASM_EQUAL, entry->restore);
	}
	assembler_fix(code, above);
	assembler_fix(code, other);
	if (function->probe_in_loop)
		assembler_fix(code, entry->elsewhere);
	pad_draft_question(draft, entry);
}

/* It may be a call that is to stop. */
static void write_filtered(struct pad_draft *draft, const struct pad_template *entry)
{
	const struct pad_function *function = entry->probe->function;

	if (!function->n_filters)
		return;
	assembler_fix(&draft->code, entry->careful);
	for (size_t i = 0; i < function->n_filters; i++)
		assembler_fix(&draft->code, entry->filtered[i]);
	pad_draft_question(draft, entry);
}

static void entry_write_closed(struct pad_draft *draft, const struct pad_template *entry)
{
	assembler_fix(&draft->code, entry->closed);
	assembler_alu_store_constant(&draft->code, ASM_ADD,
				     PAD_SUMS(entry->probe->function, closed), 1, 4);
	pad_draft_go_on(draft, entry->probe->flags_live ? entry->restore : entry->resume);
}

void pad_entry_write_rest(struct pad_draft *draft, const struct pad_template *entry)
{
	struct asm_fixup impatient;

	entry_write_closed(draft, entry);
	write_filtered(draft, entry);
	write_chosen(draft, entry);
	write_unusual(draft, entry);
	assembler_fix(&draft->code, entry->deep);
	assembler_alu_store_constant(&draft->code, ASM_CMP, PAD_BLOCK(patient), 0, 8);
	impatient = assembler_jump_if(&draft->code, ASM_EQUAL);
	pad_draft_question(draft, entry);
	assembler_fix(&draft->code, impatient);
	assembler_alu_store_constant(&draft->code, ASM_ADD, PAD_BLOCK(deep), 1, 8);
	pad_draft_go_on(draft, entry->restore);
}
