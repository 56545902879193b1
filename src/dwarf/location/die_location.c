/* Where a parameter or variable is, by its DIE. location_compile.c compiles the expressions. */
#include "die_location.h"

#include "expression.h"
#include "frame_base.h"

enum { LIST_MAX = 4096 };

/* Of integers, and of anything by its bytes. */
static void constant_location(Dwarf_Attribute *attribute, struct arena *arena, struct location *ret)
{
	const unsigned form = dwarf_whatform(attribute);
	const bool has_sign = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
	Dwarf_Sword number;
	Dwarf_Block block;
	Dwarf_Word bits;

	if (dwarf_formblock(attribute, &block) == 0 && implicit_values_block(&block, arena, ret))
		return;
	/* libdw would sign-extend 0xc8 from a one-byte form, even for a wider type. */
	if (has_sign ? dwarf_formsdata(attribute, &number) != 0
		     : dwarf_formudata(attribute, &bits) != 0) {
		location_absent(ret, ABSENT_UNSUPPORTED, "a constant that is no number");
		return;
	}
	*ret = (struct location){.kind = LOCATION_VALUE, .where = "a constant"};
	location_push(&ret->steps, PLAN_CONST, has_sign ? number : (int64_t)bits);
}

/*
 * Find an expression with an empty range at the entry: gcc's way to locate a parameter that the
 * first instruction changes.
 */
static bool find_at_entry(Dwarf_Attribute *list, uint64_t entry, Dwarf_Op **ret_ops, size_t *ret_n)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	for (int i = 0; i < LIST_MAX; i++) {
		at = dwarf_getlocations(list, at, &base, &start, &end, ret_ops, ret_n);
		if (at <= 0)
			return false;
		if (start == entry && end == entry && *ret_n > 0)
			return true;
	}
	return false;
}

/*
 * An expression without a range may use a register that the prologue sets up somewhere (gcc with
 * -fsanitize=address). Trust only frame registers, and argument registers at the entry or while
 * they are intact: clang -O0 has objects that are passed by reference there.
 */
static bool is_set_up_late(const struct frame_base *frame, const Dwarf_Op *op)
{
	const unsigned reg = op->atom - DW_OP_breg0;

	if (location_is_own_register(op))
		return frame->at_entry || frame->unfilled ||
		       frame->intact >> (op->atom - DW_OP_reg0) & 1;
	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg15 || reg == 6 || reg == 7)
		return false;
	return !location_is_by_argument(op) || !(frame->at_entry || frame->intact >> reg & 1);
}

/*
 * At the entry an argument is in its register unchanged; "register plus 1" describes a later value.
 */
static bool is_changed(const struct location *at)
{
	for (size_t i = 0; at->kind == LOCATION_PIECES && i < at->n_pieces; i++)
		if (is_changed(&at->pieces[i].at))
			return true;
	return at->kind == LOCATION_VALUE && at->steps.n == 2 && at->steps.step[0].op == PLAN_REG &&
	       at->steps.step[1].op == PLAN_ADD;
}

/* Is it in the function's own frame? The caller's stack arguments are at or above the CFA. */
static bool is_slot(const struct frame_base *frame, const Dwarf_Op *op)
{
	int64_t offset;

	if (frame_base_slot_offset(frame, op, &offset))
		return offset < 0;
	return op->atom == DW_OP_fbreg || (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31);
}

static int find_expression(Dwarf_Attribute *attribute, const struct frame_base *frame,
			   Dwarf_Op **ret_ops, size_t *ret_n)
{
	if (frame->at_entry && location_is_list(attribute) &&
	    find_at_entry(attribute, frame->addr, ret_ops, ret_n))
		return 1;
	return dwarf_getlocation_addr(attribute, frame->addr, ret_ops, ret_n, 1);
}

void die_location(Dwarf_Die *die, const struct frame_base *frame, struct arena *arena,
		  struct location *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;
	int found;

	if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) {
		constant_location(&attribute, arena, ret);
		return;
	}
	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute)) {
		location_absent(ret, ABSENT_OPTIMIZED_OUT,
				"optimised out: it has no location anywhere");
		return;
	}
	found = find_expression(&attribute, frame, &ops, &n);
	if (found > 0 && n > 0 && !location_is_list(&attribute) && is_set_up_late(frame, &ops[0])) {
		location_absent(ret, ABSENT_UNSUPPORTED,
				"in a frame or register that is set up late");
	} else if (found > 0 && n > 0 && frame->unfilled && !location_is_list(&attribute) &&
		   is_slot(frame, &ops[0])) {
		location_absent(
			ret, ABSENT_OPTIMIZED_OUT,
			"in a slot of the frame that is filled later, when other parameters are "
			"gone");
	} else if (found > 0) {
		location_compile(&attribute, ops, n, frame, NULL, arena, ret);
		if (frame->at_entry && is_changed(ret))
			location_absent(ret, ABSENT_OPTIMIZED_OUT,
					"changed by the first instruction, before it can be read");
	} else if (found == 0)
		location_absent(ret, ABSENT_OPTIMIZED_OUT, "optimised out here");
	else
		location_absent(ret, ABSENT_UNSUPPORTED,
				"its location is broken in the debug information");
}

bool die_location_at_call(Dwarf_Die *die, const struct frame_base *frame, struct location *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;

	if (!frame->has_caller || !frame->entry_addr ||
	    !dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    !location_is_list(&attribute) ||
	    (!find_at_entry(&attribute, frame->entry_addr, &ops, &n) &&
	     dwarf_getlocation_addr(&attribute, frame->entry_addr, &ops, &n, 1) <= 0) ||
	    n != 1 || ops[0].atom < DW_OP_reg0 || ops[0].atom - DW_OP_reg0 >= PLAN_PASSED_IN)
		return false;
	*ret = (struct location){.kind = LOCATION_REGISTER,
				 .reg = PLAN_ENTRY + ops[0].atom - DW_OP_reg0,
				 .where = "a register at the call"};
	return true;
}
