/*
 * The probe before a conditional jump: what became of it in this call. The jump itself decides,
 * once more, with the program's own flags and count. Or before a switch: which entry of its table.
 * And the probe where a loop's turn begins, which counts.
 */
#include "pad_draft.h"

#include "pad_moved.h"

/* Entry N of a table is FIRST_ENTRY + N, if there is room below NO_ENTRY. */
enum { ONCE_NOT_TAKEN = 1, ONCE_TAKEN, OFTEN, FIRST_ENTRY, NO_ENTRY = 255 };

/* Frames are addressed by rdx, as rcx may be the jump's count. */
static struct asm_place byte_place(const struct pad_probe *probe)
{
	return (struct asm_place){PAD_RDX, (int32_t)(PAD_FRAME_SIZE +
						     probe->function->branches * sizeof(uint64_t) +
						     probe->branch)};
}

/* Where calls that note nothing jump to: of another function, not chosen, or not asked. */
struct branch_skips {
	struct asm_fixup list[3];
	size_t n;
};

/* Saves registers, and leaves the frame of a call that notes in rdx. */
static struct branch_skips branch_begin(struct pad_draft *draft, struct pad_template *ret)
{
	const struct pad_function *function = ret->probe->function;
	struct assembler *code = &draft->code;
	struct branch_skips skips = {.n = 0};

	pad_draft_begin(draft, ret);
	pad_draft_save(draft, ret->saved);
	assembler_load(code, PAD_RDX, PAD_BLOCK(top), 8);
	assembler_alu_load(code, ASM_CMP, PAD_RSP, PAD_FRAME(PAD_RDX, cfa));
	ret->unusual = assembler_jump_if(code, ASM_NOT_BELOW);
	assembler_alu_store_constant(code, ASM_CMP, PAD_FRAME(PAD_RDX, function),
				     (int32_t)function->number, 4);
	skips.list[skips.n++] = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_load(code, PAD_RAX, PAD_FRAME(PAD_RDX, flags), 4);
	assembler_alu_constant(code, ASM_AND, PAD_RAX, PAD_CHOSEN);
	skips.list[skips.n++] = assembler_jump_if(code, ASM_EQUAL);
	if (ret->probe->is_rare)
		skips.list[skips.n++] = pad_draft_jump_if_few(draft, PAD_RDX, PAD_RAX);
	return skips;
}

static void branch_finish(struct pad_draft *draft, struct pad_template *ret,
			  const struct branch_skips *skips)
{
	for (size_t i = 0; i < skips->n; i++)
		assembler_fix(&draft->code, skips->list[i]);
	pad_draft_finish(draft, ret);
}

void pad_branch_write_turn(struct pad_draft *draft, struct pad_template *ret)
{
	struct branch_skips skips;

	ret->saved = 1 << PAD_RAX | 1 << PAD_RDX;
	skips = branch_begin(draft, ret);
	assembler_alu_store_constant(&draft->code, ASM_ADD, byte_place(ret->probe), 1, 8);
	branch_finish(draft, ret, &skips);
}

void pad_branch_write_turn_rest(struct pad_draft *draft, const struct pad_template *turn)
{
	assembler_fix(&draft->code, turn->unusual);
	pad_draft_question(draft, turn);
}

void pad_branch_write(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;
	struct branch_skips skips;

	ret->saved = ret->insn->kind == INSN_LOOP ? PAD_SAVED : PAD_SAVED & ~(1 << PAD_RCX);
	skips = branch_begin(draft, ret);
	assembler_load(code, PAD_RAX, byte_place(ret->probe), 1);
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, 0);
	ret->chosen = assembler_jump_if(code, ASM_EQUAL);
	assembler_store_constant(code, byte_place(ret->probe), OFTEN, 1);
	branch_finish(draft, ret, &skips);
}

/* Below 0 is a huge number, too. */
static void write_entry(struct pad_draft *draft, const struct pad_template *branch)
{
	const struct table_index *index = branch->probe->index;
	struct assembler *code = &draft->code;
	struct asm_fixup fits;

	if (branch->saved >> index->reg & 1)
		assembler_load(code, PAD_RAX, pad_draft_saved(index->reg), 8);
	else
		assembler_move(code, PAD_RAX, index->reg);
	if (index->scale > 1)
		assembler_shift(code, ASM_SAR, PAD_RAX, (uint8_t)__builtin_ctz(index->scale));
	assembler_alu_constant(code, ASM_ADD, PAD_RAX, index->bias);
	assembler_alu_constant(code, ASM_CMP, PAD_RAX, NO_ENTRY - FIRST_ENTRY);
	fits = assembler_jump_if(code, ASM_BELOW);
	assembler_constant(code, PAD_RAX, NO_ENTRY - FIRST_ENTRY);
	assembler_fix(code, fits);
	assembler_alu_constant(code, ASM_ADD, PAD_RAX, FIRST_ENTRY);
	assembler_store(code, byte_place(branch->probe), PAD_RAX, 1);
}

static void write_taken(struct pad_draft *draft, const struct pad_template *branch)
{
	struct assembler *code = &draft->code;
	struct asm_fixup taken;

	if (branch->probe->flags_live)
		pad_draft_restore_flags(draft);
	taken = pad_moved_jump(code, branch->insn);
	assembler_store_constant(code, byte_place(branch->probe), ONCE_NOT_TAKEN, 1);
	pad_draft_go_on(draft, branch->restore);
	assembler_fix(code, taken);
	assembler_store_constant(code, byte_place(branch->probe), ONCE_TAKEN, 1);
}

void pad_branch_write_rest(struct pad_draft *draft, const struct pad_template *branch)
{
	struct assembler *code = &draft->code;

	assembler_fix(code, branch->chosen);
	if (branch->probe->index)
		write_entry(draft, branch);
	else
		write_taken(draft, branch);
	pad_draft_go_on(draft, branch->restore);
	assembler_fix(code, branch->unusual);
	pad_draft_question(draft, branch);
}
