/*
 * The probe before a jump out of the function, after which a call waits in its frame, without
 * running; and what ends calls that wait.
 */
#include "pad_draft.h"

#include "pad_moved.h"

/* Not taken: nothing has happened. The flags are the program's for that. */
static struct asm_fixup write_condition(struct pad_draft *draft, const struct insn *insn)
{
	struct asm_fixup none = {0}, taken;
	struct assembler *code = &draft->code;

	if (insn->kind != INSN_JUMP_IF)
		return none;
	pad_draft_restore_flags(draft);
	taken = pad_moved_jump(code, insn);
	none = assembler_jump(code);
	assembler_fix(code, taken);
	return none;
}

void pad_tail_write(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;
	struct asm_fixup none;

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, PAD_SAVED);
	none = write_condition(draft, ret->insn);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_address(code, PAD_RDX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, cfa));
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_WAITING);
	ret->waiting = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_alu_store_constant(code, ASM_CMP, PAD_FRAME(PAD_RCX, function),
				     (int32_t)ret->probe->function->number, 4);
	ret->chosen = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RDX, (struct asm_place){PAD_RSP, 0}, 8);
	assembler_store(code, PAD_FRAME(PAD_RCX, return_address), PAD_RDX, 8);
	assembler_alu_store_constant(code, ASM_OR, PAD_FRAME(PAD_RCX, flags), PAD_WAITING, 4);
	if (none.at)
		assembler_fix(code, none);
	assembler_fix(code, ret->waiting);
	pad_draft_finish(draft, ret);
}

void pad_tail_write_rest(struct pad_draft *draft, const struct pad_template *tail)
{
	struct assembler *code = &draft->code;

	struct asm_fixup above;

	assembler_fix(code, tail->unusual);
	above = assembler_jump_if(code, ASM_ABOVE);
	pad_draft_go_on_if_unseen(draft, tail);
	assembler_fix(code, above);
	assembler_fix(code, tail->chosen);
	pad_draft_question(draft, tail);
}

/* rdx = the address of the code that ends calls of the frame in rcx; rax is kept. */
static void find_end(struct assembler *code)
{
	enum { SHIFT = 6 };

	_Static_assert(sizeof(struct pad_sums) == 1 << SHIFT, "the size of sums");
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, function), 4);
	assembler_shift(code, ASM_SHL, PAD_RDX, SHIFT);
	assembler_alu_load(code, ASM_ADD, PAD_RDX, PAD_BLOCK(address));
	assembler_load(code, PAD_RDX,
		       (struct asm_place){PAD_RDX, PAD_SUMS_OFFSET +
							   (int32_t)offsetof(struct pad_sums, end)},
		       8);
}

/* Each is ended by its function's own code, which comes back for the next one. */
void pad_tail_write_ends(struct pad_draft *draft, struct pad_template *end)
{
	static const uint8_t jmp_rdx[] = {0xff, 0xe2};
	struct assembler *code = &draft->code;
	struct asm_fixup none;

	end->ends = code->size;
	pad_draft_clock(draft);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_WAITING | PAD_ADOPTED);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, PAD_WAITING);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, end->restore);
	assembler_address(code, PAD_RDX, PAD_RSP, 8);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, cfa));
	assembler_jump_back_if(code, ASM_NOT_EQUAL, end->restore);
	assembler_store(code, PAD_BLOCK(scratch[1]), PAD_RAX, 8);
	find_end(code);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
	none = assembler_jump_if(code, ASM_EQUAL);
	assembler_own_address(code, PAD_RAX, end->ends);
	assembler_store(code, PAD_BLOCK(scratch), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(scratch[1]), 8);
	assembler_bytes(code, jmp_rdx, sizeof(jmp_rdx));
	assembler_fix(code, none);
	pad_draft_question(draft, end);
}

void pad_tail_write_ends_if(struct pad_draft *draft, const struct pad_template *end)
{
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_WAITING);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, end->ends);
}
