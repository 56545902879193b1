/* Words in registers, as late as possible. What steps do with them is written elsewhere. */
#include "pad_words.h"

#include "base/mem.h"
#include "pad_block.h"

static bool fits(uint64_t number)
{
	return number == (uint64_t)(int64_t)(int32_t)number;
}

static bool step_needs_scratch(const struct plan_step *step)
{
	switch (step->op) {
	case PLAN_STRLEN:
	case PLAN_STRNLEN:
	case PLAN_SUM:
	case PLAN_CAST:
	case PLAN_DIV:
	case PLAN_MOD:
	case PLAN_SHL:
	case PLAN_SHR:
	case PLAN_SHRA:
		return true;
	case PLAN_ADD:
		return !fits((uint64_t)step->arg);
	default:
		return false;
	}
}

bool pad_words_scratch(const struct pad_plan *plan)
{
	for (unsigned i = 0; i < plan->head; i++)
		if (step_needs_scratch(&plan->plan->steps[i]))
			return true;
	return false;
}

/* Clocks and their sums need rax, rdx and rcx anyway, so that these cost no saving. */
const uint8_t *pad_words_homes(const struct pad_plan *plan)
{
	static const uint8_t homes[] = {PAD_RAX, PAD_RDX, PAD_RCX, 4, 5, 8, 9, 10, 11, 12, 13};

	return pad_words_scratch(plan) ? homes + 3 : homes;
}

struct pad_word *pad_words_top(struct pad_words *words)
{
	return &words->words[words->depth - 1];
}

static struct pad_word *words_push(struct pad_words *words)
{
	return &words->words[words->depth++];
}

void pad_words_in_home(struct pad_word *word)
{
	word->reg = word->home;
	word->number = 0;
}

void pad_words_push_constant(struct pad_words *words, uint64_t number)
{
	struct pad_word *word = words_push(words);

	word->reg = PAD_NO_REGISTER;
	word->number = number;
}

int pad_words_push_home(struct pad_words *words)
{
	struct pad_word *word = words_push(words);

	pad_words_in_home(word);
	return word->home;
}

void pad_words_push_register(struct pad_words *words, int reg)
{
	const int32_t saved = (int32_t)(offsetof(struct pad_block, save) + 8 * (size_t)reg);
	struct pad_word *word = words_push(words);

	pad_words_in_home(word);
	if (words->place->saved >> reg & 1)
		assembler_load(words->code, word->home, (struct asm_place){-1, saved}, 8);
	else
		word->reg = reg;
}

void pad_words_push_copy(struct pad_words *words, const struct pad_word *of)
{
	struct pad_word *word = words_push(words);

	word->reg = of->reg;
	word->number = of->number;
	if (of->reg != of->home)
		return;
	assembler_move(words->code, word->home, of->reg);
	word->reg = word->home;
}

struct pad_word *pad_words_pop(struct pad_words *words)
{
	return &words->words[--words->depth];
}

int pad_words_own(struct pad_words *words, struct pad_word *word)
{
	if (word->reg == PAD_NO_REGISTER)
		assembler_constant(words->code, word->home, word->number);
	else if (word->reg == word->home && word->number)
		assembler_alu_constant(words->code, ASM_ADD, word->home, (int32_t)word->number);
	else if (word->reg != word->home && word->number)
		assembler_address(words->code, word->home, word->reg, (int32_t)word->number);
	else if (word->reg != word->home)
		assembler_move(words->code, word->home, word->reg);
	pad_words_in_home(word);
	return word->home;
}

int pad_words_read(struct pad_words *words, struct pad_word *word)
{
	if (word->reg == PAD_NO_REGISTER || word->number)
		pad_words_own(words, word);
	return word->reg;
}

void pad_words_add(struct pad_words *words, struct pad_word *word, uint64_t number)
{
	if (word->reg == PAD_NO_REGISTER || fits(word->number + number)) {
		word->number += number;
		return;
	}
	pad_words_own(words, word);
	if (fits(number)) {
		word->number = number;
		return;
	}
	assembler_constant(words->code, PAD_RAX, number);
	assembler_alu(words->code, ASM_ADD, word->home, PAD_RAX);
}

static void exit_add(struct pad_words *words, struct asm_fixup jump, enum absence absence)
{
	words->exits[words->n_exits++] = (struct pad_exit){jump, absence};
}

void pad_words_exit(struct pad_words *words, enum absence absence)
{
	exit_add(words, assembler_jump(words->code), absence);
}

void pad_words_exit_if(struct pad_words *words, enum asm_condition condition, enum absence absence)
{
	exit_add(words, assembler_jump_if(words->code, condition), absence);
}

size_t pad_words_may_fault(struct pad_words *words)
{
	struct pad_faults *faults = words->faults;

	faults->list =
		mem_grow(faults->list, &faults->capacity, faults->n + 1, sizeof(*faults->list));
	faults->list[faults->n] = (struct pad_fault){.at = (uint32_t)words->code->size};
	return faults->n++;
}

/* Faults that have no place to go on yet go on here. */
static bool resume_here(struct pad_words *words)
{
	bool any = false;

	for (size_t i = words->first_fault; i < words->faults->n; i++) {
		struct pad_fault *fault = &words->faults->list[i];

		if (fault->resume)
			continue;
		fault->resume = (uint32_t)words->code->size;
		any = true;
	}
	return any;
}

/* Does anything lead to @absence? Then it leads here. */
static bool lead_here(struct pad_words *words, enum absence absence)
{
	bool any = absence == ABSENT_UNREADABLE && resume_here(words);

	for (unsigned i = 0; i < words->n_exits; i++) {
		if (words->exits[i].absence != absence)
			continue;
		assembler_fix(words->code, words->exits[i].jump);
		any = true;
	}
	return any;
}

static void store_words(struct pad_words *words)
{
	for (unsigned i = 0; i < words->depth; i++) {
		struct pad_word *word = &words->words[i];
		const struct asm_place to = {words->place->frame,
					     words->place->words + 8 * (int32_t)i};

		if (word->reg == PAD_NO_REGISTER && fits(word->number))
			assembler_store_constant(words->code, to, (int32_t)word->number, 8);
		else
			assembler_store(words->code, to, pad_words_read(words, word), 8);
	}
}

static void set_absent_bit(struct pad_words *words)
{
	const struct pad_plan_place *place = words->place;
	const struct asm_place half = {place->frame,
				       place->absent + 4 * (int32_t)(place->bit / 32)};

	assembler_alu_store_constant(words->code, ASM_OR, half,
				     (int32_t)(UINT32_C(1) << place->bit % 32), 4);
}

void pad_words_end(struct pad_words *words)
{
	const struct asm_place first = {words->place->frame, words->place->words};
	struct asm_fixup stored[ABSENCE_COUNT];
	unsigned n = 0;

	store_words(words);
	if (!words->n_exits && words->faults->n == words->first_fault)
		return;
	stored[n++] = assembler_jump(words->code);
	for (unsigned absence = PRESENT + 1; absence < ABSENCE_COUNT; absence++) {
		if (!lead_here(words, absence))
			continue;
		assembler_store_constant(words->code, first, (int32_t)absence, 8);
		stored[n++] = assembler_jump(words->code);
	}
	for (unsigned i = 1; i < n; i++)
		assembler_fix(words->code, stored[i]);
	set_absent_bit(words);
	assembler_fix(words->code, stored[0]);
}
