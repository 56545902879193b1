/* Where the caller's registers are: rules of call frame information as plans. */
#include "unwind_row.h"

#include <stdlib.h>

#include "frame_base.h"
#include "frame_rules.h"

enum { RAX = 0, RBX = 3 };

void unwind_row_plan(struct location *at, struct arena *arena, struct read_plan *ret)
{
	struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};
	struct err err;

	*ret = (struct read_plan){0};
	location_load(at, 8);
	plan.steps = at->steps.step;
	plan.n_steps = at->steps.n;
	if (at->kind == LOCATION_ABSENT || at->steps.overflow || !read_plan_verify(&plan, &err))
		return;
	plan.steps = arena_copy(arena, plan.steps, plan.n_steps * sizeof(*plan.steps));
	*ret = plan;
}

/* False: register @number is not preserved, by its rule. */
static bool rule_compile(Dwarf_Frame *rules, const struct frame_base *frame, unsigned number,
			 struct arena *arena, struct unwind_row *row)
{
	Dwarf_Op memory[3];
	Dwarf_Op *ops = memory;
	struct location at;
	size_t n = 0;

	if (dwarf_frame_register(rules, (int)number, memory, &ops, &n) != 0)
		return false;
	if (!ops) {
		row->same |= UINT64_C(1) << number;
		return true;
	}
	if (n == 0)
		return false;
	location_compile(NULL, ops, n, frame, NULL, arena, &at);
	unwind_row_plan(&at, arena, &row->rules[number]);
	if (number == UNWIND_PC && !row->rules[number].n_steps)
		row->why_not = "its call frame information is too complex";
	return true;
}

/*
 * Callee-saved registers without a rule are unchanged. libdw's default rules (x86_64_abi_cfi()) use
 * rax's number for rbx.
 */
static void apply_convention(struct unwind_row *row)
{
	row->same &= ~(UINT64_C(1) << RAX);
	if (!row->rules[RBX].n_steps)
		row->same |= UINT64_C(1) << RBX;
}

static void rules_compile(Dwarf_Frame *rules, const struct frame_base *frame, struct arena *arena,
			  struct unwind_row *row)
{
	bool is_signal = false;
	const int return_register = dwarf_frame_info(rules, NULL, NULL, &is_signal);

	row->is_signal = is_signal;
	if (return_register != UNWIND_PC)
		row->why_not = "its call frame information keeps the return address elsewhere";
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		if (!rule_compile(rules, frame, i, arena, row) && i == UNWIND_PC)
			row->is_outermost = true;
	apply_convention(row);
}

void unwind_row_compile(const struct elf_file *image, uint64_t addr, struct arena *arena,
			struct unwind_row *ret)
{
	struct frame_base frame;
	Dwarf_Frame *rules;

	*ret = (struct unwind_row){.why_not = NULL};
	if (!frame_base_cfa(image, addr, arena, &frame, &ret->why_not))
		return;
	rules = frame_rules_find(image, addr);
	if (rules)
		rules_compile(rules, &frame, arena, ret);
	free(rules);
	unwind_row_plan(&frame.cfa, arena, &ret->cfa);
	if (!ret->cfa.n_steps)
		ret->why_not = "its call frame information is too complex";
}
