/*
 * Locations as data: of a DIE, of members and pointers' targets, and in words. Compiling
 * expressions is location_compile.c's.
 */
#include "dwarf/location.h"

#include <inttypes.h>
#include <string.h>

enum { LIST_MAX = 4096 };

void steps_push(struct steps *steps, enum plan_op op, int64_t arg)
{
	struct plan_step *last = steps->n ? &steps->step[steps->n - 1] : NULL;

	if (op == PLAN_ADD && arg == 0)
		return;
	if (op == PLAN_ADD && last && last->op == PLAN_ADD) {
		last->arg = (int64_t)((uint64_t)last->arg + (uint64_t)arg);
		if (last->arg == 0)
			steps->n--;
	} else if (steps->n == PLAN_STEPS_MAX) {
		steps->overflow = true;
	} else {
		steps->step[steps->n++] = (struct plan_step){op, arg};
	}
}

const char *location_register_name(unsigned reg)
{
	static const char *const names[PLAN_REGISTERS] = {
		"rax",   "rdx",   "rcx",   "rbx",   "rsi",   "rdi",   "rbp",  "rsp",  "r8",
		"r9",    "r10",   "r11",   "r12",   "r13",   "r14",   "r15",  "rip",  "xmm0",
		"xmm1",  "xmm2",  "xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7", "xmm8", "xmm9",
		"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
	};

	return reg < PLAN_REGISTERS ? names[reg] : NULL;
}

void location_absent(struct location *at, enum absence absence, const char *why)
{
	*at = (struct location){.kind = LOCATION_ABSENT, .absence = absence, .where = why};
}

static void constant_location(Dwarf_Attribute *attribute, struct location *ret)
{
	const unsigned form = dwarf_whatform(attribute);
	const bool has_sign = form == DW_FORM_sdata || form == DW_FORM_implicit_const;
	Dwarf_Sword number;
	Dwarf_Word bits;

	/* libdw would take the sign of 0xc8 from a one-byte form, even if the type is wider. */
	if (has_sign ? dwarf_formsdata(attribute, &number) != 0
		     : dwarf_formudata(attribute, &bits) != 0) {
		location_absent(ret, ABSENT_UNSUPPORTED, "a constant that is no integer");
		return;
	}
	*ret = (struct location){.kind = LOCATION_VALUE, .where = "a constant"};
	steps_push(&ret->steps, PLAN_CONST, has_sign ? number : (int64_t)bits);
}

bool location_is_list(Dwarf_Attribute *attribute)
{
	switch (dwarf_whatform(attribute)) {
	case DW_FORM_sec_offset:
	case DW_FORM_loclistx:
	case DW_FORM_data4: /* before DWARF 4 */
	case DW_FORM_data8:
		return true;
	}
	return false;
}

/*
 * An expression that holds for no instruction at all, at the entry itself: with it gcc says where a
 * parameter is that the first instruction changes.
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
 * An expression without a range is based on a register that the prologue sets up somewhere (gcc
 * with
 * -fsanitize=address). Only the registers of frames, and those of arguments at the entry, hold what it means.
 */
static bool is_set_up_late(const struct frame *frame, const Dwarf_Op *op)
{
	static const unsigned arguments = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9;
	unsigned reg = op->atom - DW_OP_breg0;

	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg15 || reg == 6 || reg == 7)
		return false;
	return !(frame->at_entry && arguments >> reg & 1);
}

/* At the entry an argument is in its register as it is; "register plus 1" is what becomes of it. */
static bool is_changed(const struct location *at)
{
	return at->kind == LOCATION_VALUE && at->steps.n == 2 && at->steps.step[0].op == PLAN_REG &&
	       at->steps.step[1].op == PLAN_ADD;
}

static int find_expression(Dwarf_Attribute *attribute, const struct frame *frame,
			   Dwarf_Op **ret_ops, size_t *ret_n)
{
	if (frame->at_entry && location_is_list(attribute) &&
	    find_at_entry(attribute, frame->addr, ret_ops, ret_n))
		return 1;
	return dwarf_getlocation_addr(attribute, frame->addr, ret_ops, ret_n, 1);
}

void location_of(Dwarf_Die *die, const struct frame *frame, struct arena *arena,
		 struct location *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t n;
	int found;

	if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) {
		constant_location(&attribute, ret);
		return;
	}
	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute)) {
		location_absent(ret, ABSENT_OPTIMIZED_OUT,
				"optimised out: it has no location anywhere");
		return;
	}
	found = find_expression(&attribute, frame, &ops, &n);
	if (found > 0 && n > 0 && !location_is_list(&attribute) && is_set_up_late(frame, &ops[0])) {
		location_absent(ret, ABSENT_UNSUPPORTED, "in a frame that is set up late");
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

void location_add(struct location *at, int64_t offset)
{
	if (at->kind != LOCATION_MEMORY)
		return;
	steps_push(&at->steps, PLAN_ADD, offset);
	at->offset = (int64_t)((uint64_t)at->offset + (uint64_t)offset);
}

static const char *address_text(const struct location *at, struct arena *arena)
{
	return at->offset ? arena_printf(arena, "%s%+" PRId64, at->where, at->offset) : at->where;
}

void location_load(struct location *at, unsigned size)
{
	if (at->kind == LOCATION_REGISTER)
		steps_push(&at->steps, PLAN_REG, at->reg);
	else if (at->kind == LOCATION_MEMORY)
		steps_push(&at->steps, PLAN_LOAD, size);
}

void location_dereference(struct location *at, struct arena *arena)
{
	const char *text = address_text(at, arena);

	location_load(at, 8);
	steps_push(&at->steps, PLAN_NONNULL, 0);
	at->where = at->kind == LOCATION_MEMORY ? arena_printf(arena, "*(%s)", text) : text;
	at->offset = 0;
	at->kind = LOCATION_MEMORY;
}

const char *location_phrase(const struct location *at, struct arena *arena)
{
	switch (at->kind) {
	case LOCATION_ABSENT:
		return at->where;
	case LOCATION_MEMORY:
		return arena_printf(arena, "at %s", address_text(at, arena));
	case LOCATION_REGISTER:
		return arena_printf(arena, "in %s", at->where);
	case LOCATION_PIECES:
		return "in several pieces";
	case LOCATION_VALUE:
		break;
	}
	if (!strcmp(at->where, "a constant") || !strcmp(at->where, LOCATION_COMPUTED))
		return at->where;
	return arena_printf(arena, "computed from %s", address_text(at, arena));
}
