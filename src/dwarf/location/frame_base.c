/* The CFA from call frame information, and DW_AT_frame_base on top of it. */
#include "frame_base.h"

#include <stdlib.h>

#include "core/catalogue/insn.h"
#include "dwarf/file/line_table.h"
#include "entry_hook.h"
#include "frame_rules.h"

enum { INTACT_MAX = 512 }; /* bytes of code examined */

/* Compile the CFA rule at the frame's address. False: there is none. */
static bool cfa_init(const struct elf_file *image, struct arena *arena, struct frame_base *frame)
{
	Dwarf_Frame *rules = frame_rules_find(image, frame->addr);
	Dwarf_Op *ops;
	size_t n;
	const bool found = rules && dwarf_frame_cfa(rules, &ops, &n) == 0 && n > 0;

	if (found)
		location_compile(NULL, ops, n, frame, NULL, arena, &frame->cfa);
	free(rules);
	return found;
}

bool frame_base_register_offset(const struct steps *steps, unsigned *ret_reg, int64_t *ret_offset)
{
	if (steps->n == 0 || steps->n > 2 || steps->step[0].op != PLAN_REG ||
	    (steps->n == 2 && steps->step[1].op != PLAN_ADD))
		return false;
	*ret_reg = (unsigned)steps->step[0].arg;
	*ret_offset = steps->n == 2 ? steps->step[1].arg : 0;
	return true;
}

/* The offset of the frame base from the CFA. False: different base registers. */
static bool base_offset(const struct frame_base *frame, int64_t *ret)
{
	int64_t base, cfa;
	unsigned base_reg, cfa_reg;

	if (frame->base.kind != LOCATION_VALUE ||
	    !frame_base_register_offset(&frame->base.steps, &base_reg, &base) ||
	    !frame_base_register_offset(&frame->cfa.steps, &cfa_reg, &cfa) || base_reg != cfa_reg)
		return false;
	*ret = base - cfa;
	return true;
}

bool frame_base_slot_offset(const struct frame_base *frame, const Dwarf_Op *op, int64_t *ret)
{
	int64_t offset;

	if (op->atom != DW_OP_fbreg || !base_offset(frame, &offset))
		return false;
	*ret = (int64_t)(op->number + (uint64_t)offset);
	return true;
}

bool frame_base_cfa(const struct elf_file *image, uint64_t addr, struct arena *arena,
		    struct frame_base *ret, const char **ret_why)
{
	*ret = (struct frame_base){.addr = addr, .image = image};
	if (!cfa_init(image, arena, ret)) {
		*ret_why = "it has no call frame information";
		return false;
	}
	if (ret->cfa.kind == LOCATION_PIECES)
		location_absent(&ret->cfa, ABSENT_UNSUPPORTED, "it is in pieces");
	if (ret->cfa.kind == LOCATION_ABSENT) {
		*ret_why = arena_printf(arena, "its call frame information is not understood: %s",
					ret->cfa.where);
		return false;
	}
	/* An expression's result is the CFA itself, not the memory that holds it. */
	if (ret->cfa.kind == LOCATION_REGISTER)
		location_load(&ret->cfa, 8);
	ret->cfa.kind = LOCATION_VALUE;
	ret->cfa.where = "CFA";
	ret->cfa.offset = 0;
	return true;
}

/*
 * A bare register as frame base (clang) is meant for the body, after the prologue set it up.
 * Before, compute it from the CFA by the call frame information of the body's start.
 */
static void base_from_cfa(const struct elf_file *image, uint64_t body_addr, struct arena *arena,
			  struct frame_base *frame)
{
	const unsigned base_reg = frame->base.reg;
	struct frame_base body;
	const char *why;
	int64_t offset;
	unsigned reg;

	location_absent(&frame->base, ABSENT_UNSUPPORTED, "the frame base is not set up here");
	if (!frame_base_cfa(image, body_addr, arena, &body, &why) ||
	    !frame_base_register_offset(&body.cfa.steps, &reg, &offset) || reg != base_reg)
		return;
	frame->base = frame->cfa;
	offset = (int64_t)(0 - (uint64_t)offset);
	frame->base.offset = (int64_t)((uint64_t)frame->base.offset + (uint64_t)offset);
	location_push(&frame->base.steps, PLAN_ADD, offset);
}

/*
 * Does the frame base's register have the caller's value again, as in an epilogue? In the body the
 * CFA depends on it, here it does not.
 */
static bool is_taken_down(const struct elf_file *image, const struct frame_base *frame,
			  uint64_t body_addr, struct arena *arena)
{
	struct frame_base body;
	const char *why;
	unsigned here, there;
	int64_t offset;

	return frame_base_register_offset(&frame->cfa.steps, &here, &offset) &&
	       here != frame->base.reg && frame_base_cfa(image, body_addr, arena, &body, &why) &&
	       frame_base_register_offset(&body.cfa.steps, &there, &offset) &&
	       there == frame->base.reg;
}

/* The frame base is the value of a register or an expression. */
static void base_init(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
		      struct frame_base *frame)
{
	struct location *base = &frame->base;
	const uint64_t body_addr = line_table_prologue_end(die);
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	*base = (struct location){.where = "the frame base is not known here"};
	if (!dwarf_attr_integrate(die, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, frame->addr, &ops, &n, 1) <= 0)
		return;
	location_compile(&attribute, ops, n, frame, NULL, arena, base);
	if (base->kind == LOCATION_REGISTER &&
	    (frame->addr < body_addr || is_taken_down(image, frame, body_addr, arena)))
		base_from_cfa(image, body_addr, arena, frame);
	else if (base->kind == LOCATION_REGISTER)
		location_load(base, 8);
	if (base->kind == LOCATION_PIECES)
		location_absent(base, ABSENT_UNSUPPORTED, "the frame base is in pieces");
	if (base->kind != LOCATION_ABSENT)
		base->kind = LOCATION_VALUE;
}

/*
 * The registers that no instruction from @from up to @to has written. After a branch or call none
 * is known: code elsewhere may have written them.
 */
static uint64_t intact(const struct elf_file *image, struct insn_decoder *decoder, uint64_t from,
		       uint64_t to)
{
	uint64_t mask = UINT64_MAX;
	size_t size = 0;
	const uint8_t *code = elf_file_code(image, from, &size);

	while (code && from < to) {
		struct insn insn;

		if (!insn_decode(decoder, code, size, from, &insn) ||
		    (insn.kind != INSN_PLAIN && insn.kind != INSN_NOP))
			return 0;
		mask &= ~insn.writes;
		from += insn.size;
		code += insn.size;
		size -= insn.size;
	}
	return from == to ? mask : 0;
}

static void intact_init(const struct elf_file *image, uint64_t entry, struct frame_base *frame)
{
	struct insn_decoder *decoder;
	struct err err;

	if (frame->addr < entry || frame->addr - entry > INTACT_MAX ||
	    !insn_decoder_create(&decoder, &err))
		return;
	frame->intact = intact(image, decoder, entry, frame->addr);
	insn_decoder_destroy(decoder);
}

bool frame_base_init(const struct elf_file *image, Dwarf_Die *die, uint64_t addr,
		     struct arena *arena, struct frame_base *ret, const char **ret_why)
{
	Dwarf_Addr entry;

	if (!frame_base_cfa(image, addr, arena, ret, ret_why))
		return false;
	if (die_entry(die, &entry)) {
		ret->entry_addr = entry_hook_end(image, die, entry);
		ret->at_entry = addr == entry || addr == ret->entry_addr;
		intact_init(image, addr < ret->entry_addr ? entry : ret->entry_addr, ret);
	}
	base_init(image, die, arena, ret);
	return true;
}
