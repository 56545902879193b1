/* The probes that only ask: always, or while calls are open that may be left here. */
#include "pad_draft.h"

/* All registers are the program's again before it asks. */
void pad_ask_write(struct pad_draft *draft, struct pad_template *ret)
{
	ret->saved = ret->probe->flags_live ? 1 << PAD_RAX : 0;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, ret->saved);
	pad_draft_finish(draft, ret);
	pad_draft_ask(draft, ret);
	ret->resume = draft->code.size;
}

/* The innermost frame is the sentinel then. On another stack calls of other threads may be. */
void pad_ask_write_if_open(struct pad_draft *draft, struct pad_template *ret)
{
	struct assembler *code = &draft->code;

	ret->saved = PAD_SAVED;
	pad_draft_begin(draft, ret);
	pad_draft_save(draft, PAD_SAVED);
	assembler_load(code, PAD_RCX, PAD_BLOCK(top), 8);
	assembler_alu_store_constant(code, ASM_CMP, PAD_FRAME(PAD_RCX, previous), 0, 8);
	ret->unusual = assembler_jump_if(code, ASM_NOT_EQUAL);
	assembler_move(code, PAD_RDX, PAD_RSP);
	ret->elsewhere = pad_draft_jump_if_elsewhere(draft);
	pad_draft_finish(draft, ret);
}

void pad_ask_write_if_open_rest(struct pad_draft *draft, const struct pad_template *ask)
{
	assembler_fix(&draft->code, ask->unusual);
	assembler_fix(&draft->code, ask->elsewhere);
	pad_draft_question(draft, ask);
}
