/*
 * Running the plans of a row. dwarf/location/unwind_row.c compiles them. A register without a rule
 * is marked unknown, so that no plan reads a wrong value.
 */
#include "unwind.h"

#include <string.h>

static enum unwind_end unwind_end_of(enum absence absence)
{
	return absence == ABSENT_UNKNOWN_REGISTER ? UNWIND_UNKNOWN : UNWIND_UNREADABLE;
}

/* Run all plans of @row: @ret[0] is the CFA, @ret[1 + N] register N, if it has a rule. */
static void run_row(struct plan_runner *runner, const struct memory *memory,
		    const struct unwind_row *row, const struct unwind_frame *frame,
		    struct word ret[1 + UNWIND_REGISTERS])
{
	const struct read_plan *plans[1 + UNWIND_REGISTERS] = {&row->cfa};
	struct plan_context context = {
		.unknown = frame->registers.unknown | ~UINT64_C(0) << UNWIND_REGISTERS,
		.load_bias = frame->load_bias,
		.memory = *memory,
	};

	memcpy(context.registers, frame->registers.value, sizeof(frame->registers.value));
	for (size_t i = 0; i < UNWIND_REGISTERS; i++)
		plans[1 + i] = &row->rules[i];
	plan_runner_run_words(runner, plans, 1 + UNWIND_REGISTERS, &context, ret);
}

static void unwind_register(const struct unwind_row *row, const struct unwind_frame *frame,
			    unsigned number, const struct word *word, struct unwind_registers *ret)
{
	const uint64_t bit = UINT64_C(1) << number;

	if (row->rules[number].n_steps) {
		ret->value[number] = word->bits;
		ret->unknown |= word->absence == PRESENT ? 0 : bit;
	} else if (row->same & bit) {
		ret->value[number] = frame->registers.value[number];
		ret->unknown |= frame->registers.unknown & bit;
	} else if (number == UNWIND_SP) {
		ret->value[number] = frame->cfa;
	} else {
		ret->unknown |= bit;
	}
}

enum unwind_end unwind_step(struct plan_runner *runner, const struct memory *memory,
			    const struct unwind_row *row, const struct unwind_frame *inner,
			    struct unwind_frame *frame, struct unwind_registers *ret)
{
	struct word words[1 + UNWIND_REGISTERS];
	const struct word *pc = &words[1 + UNWIND_PC];

	frame->cfa = 0;
	run_row(runner, memory, row, frame, words);
	if (words[0].absence == PRESENT)
		frame->cfa = words[0].bits;
	if (row->is_outermost)
		return UNWIND_OUTERMOST;
	if (words[0].absence != PRESENT)
		return unwind_end_of(words[0].absence);
	if (inner && !row->is_signal && frame->cfa <= inner->cfa)
		return UNWIND_BACKWARDS;
	*ret = (struct unwind_registers){.unknown = 0};
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		unwind_register(row, frame, i, &words[1 + i], ret);
	if (ret->unknown >> UNWIND_PC & 1)
		return unwind_end_of(pc->absence);
	return ret->value[UNWIND_PC] ? UNWIND_CALLER : UNWIND_OUTERMOST;
}

const char *unwind_end_phrase(enum unwind_end end)
{
	switch (end) {
	case UNWIND_CALLER:
	case UNWIND_OUTERMOST:
		break;
	case UNWIND_UNREADABLE:
		return "the memory of its stack cannot be read";
	case UNWIND_UNKNOWN:
		return "a register that the way on takes is not known";
	case UNWIND_BACKWARDS:
		return "the caller's frame would lie below: the stack is overwritten";
	}
	return NULL;
}
