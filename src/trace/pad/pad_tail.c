/*
 * The probe before a jump out of the function, after which a call waits in its frame, without
 * running; and what ends calls that wait: returns of others in their frame, or landings, where the
 * caller goes on.
 */
#include "pad_draft.h"

#include <string.h>

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

/*
 * The first instruction of a landing's pad, which does nothing: so a tail call knows that there is
 * one, whatever was lifted meanwhile. No compiler has a nop with such a displacement.
 */
static const uint8_t landing_mark[] = {0x0f, 0x1f, 0x84, 0x00, 0x6c, 0x61, 0x6e, 0x64};

/* The frame is in rcx, the return address in rdx. Ask unless there is a jump to a landing's pad. */
static void write_landing_check(struct pad_draft *draft, struct pad_template *ret)
{
	enum { JMP = 0xe9, JMP_SIZE = 5 };
	struct assembler *code = &draft->code;
	uint64_t mark;

	memcpy(&mark, landing_mark, sizeof(mark));
	assembler_move(code, PAD_RAX, PAD_RDX);
	ret->faults = pad_draft_load_word(draft, PAD_RAX, 0);
	assembler_move(code, PAD_RCX, PAD_RAX);
	assembler_alu_constant(code, ASM_AND, PAD_RCX, UINT8_MAX);
	assembler_alu_constant(code, ASM_CMP, PAD_RCX, JMP);
	ret->nowhere[0] = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_shift(code, ASM_SHL, PAD_RAX, 24);
	assembler_shift(code, ASM_SAR, PAD_RAX, 32);
	assembler_alu(code, ASM_ADD, PAD_RAX, PAD_RDX);
	pad_draft_load_word(draft, PAD_RAX, JMP_SIZE);
	assembler_constant(code, PAD_RDX, mark);
	assembler_alu(code, ASM_CMP, PAD_RAX, PAD_RDX);
	ret->nowhere[1] = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
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
	if (ret->probe->lands)
		write_landing_check(draft, ret);
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
	if (tail->probe->lands) {
		assembler_fix(code, tail->nowhere[0]);
		assembler_fix(code, tail->nowhere[1]);
		draft->lists->faults.list[tail->faults].resume = (uint32_t)code->size;
		draft->lists->faults.list[tail->faults + 1].resume = (uint32_t)code->size;
	}
	pad_draft_question(draft, tail);
}

/* The frames below are those of calls that are still open: rsp is the CFA of who has returned. */
void pad_tail_write_landing(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;

	assembler_bytes(code, landing_mark, sizeof(landing_mark));
	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, PAD_SAVED);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_load(code, ASM_CMP, PAD_RSP, PAD_FRAME(PAD_RCX, cfa));
	ret->waiting = assembler_jump_if(code, ASM_EQUAL);
	pad_draft_finish(draft, ret);
}

void pad_tail_write_landing_rest(struct pad_draft *draft, struct pad_template *landing)
{
	assembler_fix(&draft->code, landing->waiting);
	pad_draft_finish_work(draft);
	pad_tail_write_ends(draft, landing, 0);
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

/*
 * Each is ended by its function's own code, which comes back for the next one; one of which the
 * tracer keeps more, by a stop.
 */
void pad_tail_write_ends(struct pad_draft *draft, struct pad_template *end, int32_t cfa)
{
	static const uint8_t jmp_rdx[] = {0xff, 0xe2};
	struct assembler *code = &draft->code;
	struct asm_fixup none, adopted;

	end->ends = code->size;
	pad_draft_clock(draft);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_WAITING);
	assembler_jump_back_if(code, ASM_EQUAL, end->restore);
	assembler_address(code, PAD_RDX, PAD_RSP, cfa);
	assembler_alu_load(code, ASM_CMP, PAD_RDX, PAD_FRAME(PAD_RCX, cfa));
	assembler_jump_back_if(code, ASM_NOT_EQUAL, end->restore);
	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_ADOPTED);
	adopted = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_store(code, PAD_BLOCK(scratch[1]), PAD_RAX, 8);
	find_end(code);
	assembler_alu_constant(code, ASM_CMP, PAD_RDX, 0);
	none = assembler_jump_if(code, ASM_EQUAL);
	assembler_own_address(code, PAD_RAX, end->ends);
	assembler_store(code, PAD_BLOCK(scratch), PAD_RAX, 8);
	assembler_load(code, PAD_RAX, PAD_BLOCK(scratch[1]), 8);
	assembler_bytes(code, jmp_rdx, sizeof(jmp_rdx));
	assembler_fix(code, none);
	assembler_fix(code, adopted);
	pad_draft_question(draft, end);
}

void pad_tail_write_ends_if(struct pad_draft *draft, const struct pad_template *end)
{
	struct assembler *code = &draft->code;

	assembler_load(code, PAD_RDX, PAD_FRAME(PAD_RCX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RDX, PAD_WAITING);
	assembler_jump_back_if(code, ASM_NOT_EQUAL, end->ends);
}
