/*
 * DWARF expressions -> steps, an operator at a time. Which expression is valid at an address is
 * libdw's knowledge; what the frame is, is frame.c's.
 */
#include "dwarf/location.h"

#include <inttypes.h>
#include <string.h>

static void steps_append(struct steps *to, const struct steps *from)
{
	for (unsigned i = 0; i < from->n; i++)
		steps_push(to, from->step[i].op, from->step[i].arg);
	to->overflow |= from->overflow;
}

/* Operators that fathom does not run, by name, for explanations. */
static const char *operator_name(unsigned atom, struct arena *arena)
{
	static const struct {
		unsigned atom;
		const char *name;
	} names[] = {
		{DW_OP_piece, "DW_OP_piece"},
		{DW_OP_bit_piece, "DW_OP_bit_piece"},
		{DW_OP_entry_value, "DW_OP_entry_value"},
		{DW_OP_GNU_entry_value, "DW_OP_GNU_entry_value"},
		{DW_OP_implicit_pointer, "DW_OP_implicit_pointer"},
		{DW_OP_GNU_implicit_pointer, "DW_OP_GNU_implicit_pointer"},
		{DW_OP_implicit_value, "DW_OP_implicit_value"},
		{DW_OP_convert, "DW_OP_convert"},
		{DW_OP_GNU_convert, "DW_OP_GNU_convert"},
		{DW_OP_reinterpret, "DW_OP_reinterpret"},
		{DW_OP_GNU_reinterpret, "DW_OP_GNU_reinterpret"},
		{DW_OP_regval_type, "DW_OP_regval_type"},
		{DW_OP_GNU_regval_type, "DW_OP_GNU_regval_type"},
		{DW_OP_deref_type, "DW_OP_deref_type"},
		{DW_OP_GNU_deref_type, "DW_OP_GNU_deref_type"},
		{DW_OP_const_type, "DW_OP_const_type"},
		{DW_OP_GNU_const_type, "DW_OP_GNU_const_type"},
		{DW_OP_GNU_parameter_ref, "DW_OP_GNU_parameter_ref"},
		{DW_OP_GNU_variable_value, "DW_OP_GNU_variable_value"},
		{DW_OP_form_tls_address, "DW_OP_form_tls_address"},
		{DW_OP_GNU_push_tls_address, "DW_OP_GNU_push_tls_address"},
		{DW_OP_push_object_address, "DW_OP_push_object_address"},
		{DW_OP_rot, "DW_OP_rot"},
		{DW_OP_abs, "DW_OP_abs"},
		{DW_OP_mod, "DW_OP_mod"},
		{DW_OP_bra, "DW_OP_bra"},
		{DW_OP_skip, "DW_OP_skip"},
		{DW_OP_eq, "DW_OP_eq"},
		{DW_OP_ge, "DW_OP_ge"},
		{DW_OP_gt, "DW_OP_gt"},
		{DW_OP_le, "DW_OP_le"},
		{DW_OP_lt, "DW_OP_lt"},
		{DW_OP_ne, "DW_OP_ne"},
		{DW_OP_xderef, "DW_OP_xderef"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].atom == atom)
			return names[i].name;
	}
	return arena_printf(arena, "DWARF operator 0x%x", atom);
}

/* An expression under way. */
struct compilation {
	Dwarf_Attribute *attribute;
	const struct frame *frame;
	struct arena *arena;
	struct location *at;
	bool has_base; /* the text in `where` describes the top of the stack but for `offset` */
};

static void set_base(struct compilation *c, const char *where, int64_t offset)
{
	const bool first = c->at->steps.n == 0;

	c->at->where = first ? where : LOCATION_COMPUTED;
	c->at->offset = first ? offset : 0;
	c->has_base = first;
}

static void unclear(struct compilation *c)
{
	c->at->where = LOCATION_COMPUTED;
	c->at->offset = 0;
	c->has_base = false;
}

static void push_register(struct compilation *c, uint64_t reg, int64_t offset)
{
	const char *name = reg < PLAN_REGISTERS ? location_register_name((unsigned)reg) : NULL;

	if (!name) {
		location_absent(c->at, ABSENT_UNSUPPORTED,
				arena_printf(c->arena,
					     "in DWARF register %" PRIu64 ", which is not read",
					     reg));
		return;
	}
	set_base(c, name, offset);
	steps_push(&c->at->steps, PLAN_REG, (int64_t)reg);
	steps_push(&c->at->steps, PLAN_ADD, offset);
}

static void push_constant(struct compilation *c, int64_t number)
{
	set_base(c, "a constant", 0);
	steps_push(&c->at->steps, PLAN_CONST, number);
}

/* Push what a part of the frame (its CFA, its base) says, and add @offset. */
static void push_frame(struct compilation *c, const struct location *part, int64_t offset)
{
	if (part->kind != LOCATION_VALUE) {
		location_absent(c->at, ABSENT_UNSUPPORTED,
				part->where ? part->where : "the frame base is not known");
		return;
	}
	set_base(c, part->where, (int64_t)((uint64_t)part->offset + (uint64_t)offset));
	steps_append(&c->at->steps, &part->steps);
	steps_push(&c->at->steps, PLAN_ADD, offset);
}

static void push_load(struct compilation *c, unsigned size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		location_absent(c->at, ABSENT_UNSUPPORTED, "DW_OP_deref_size of an odd size");
		return;
	}
	steps_push(&c->at->steps, PLAN_LOAD, size);
	if (!c->has_base)
		return;
	c->at->where = c->at->offset ? arena_printf(c->arena, "*(%s%+" PRId64 ")", c->at->where,
						    c->at->offset)
				     : arena_printf(c->arena, "*(%s)", c->at->where);
	c->at->offset = 0;
}

static void add_constant(struct compilation *c, int64_t number)
{
	steps_push(&c->at->steps, PLAN_ADD, number);
	if (c->has_base)
		c->at->offset = (int64_t)((uint64_t)c->at->offset + (uint64_t)number);
}

/* At the first instruction, the entry value of a register is what is in it. */
static void push_entry_value(struct compilation *c, const Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (!c->frame->at_entry) {
		location_absent(c->at, ABSENT_OPTIMIZED_OUT,
				arena_printf(c->arena, "optimised out here (%s)",
					     operator_name(op->atom, c->arena)));
	} else if (c->attribute && dwarf_getlocation_attr(c->attribute, op, &inner) == 0 &&
		   dwarf_getlocation(&inner, &ops, &n) == 0 && n == 1 &&
		   ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		push_register(c, ops[0].atom - DW_OP_reg0, 0);
	} else {
		location_absent(c->at, ABSENT_UNSUPPORTED,
				arena_printf(c->arena, "%s of a computed value is not read",
					     operator_name(op->atom, c->arena)));
	}
}

static void push_implicit(struct compilation *c, const Dwarf_Op *op)
{
	Dwarf_Block block;
	uint64_t number = 0;

	if (!c->attribute || dwarf_getlocation_implicit_value(c->attribute, op, &block) != 0 ||
	    block.length > sizeof(number) || block.length == 0) {
		location_absent(c->at, ABSENT_UNSUPPORTED,
				"DW_OP_implicit_value of an odd size is not read");
		return;
	}
	memcpy(&number, block.data, block.length);
	push_constant(c, (int64_t)number);
	c->at->kind = LOCATION_VALUE;
}

static bool push_binary(struct compilation *c, unsigned atom)
{
	static const struct {
		unsigned atom;
		enum plan_op op;
	} table[] = {
		{DW_OP_plus, PLAN_PLUS}, {DW_OP_minus, PLAN_MINUS}, {DW_OP_mul, PLAN_MUL},
		{DW_OP_div, PLAN_DIV},   {DW_OP_and, PLAN_AND},     {DW_OP_or, PLAN_OR},
		{DW_OP_xor, PLAN_XOR},   {DW_OP_shl, PLAN_SHL},     {DW_OP_shr, PLAN_SHR},
		{DW_OP_shra, PLAN_SHRA}, {DW_OP_neg, PLAN_NEG},     {DW_OP_not, PLAN_NOT},
		{DW_OP_dup, PLAN_DUP},   {DW_OP_drop, PLAN_DROP},   {DW_OP_swap, PLAN_SWAP},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		if (table[i].atom == atom) {
			steps_push(&c->at->steps, table[i].op, 0);
			unclear(c);
			return true;
		}
	}
	return false;
}

/* Between integers, a conversion cuts and extends. clang narrows truth values and characters so. */
static void convert(struct compilation *c, const Dwarf_Op *op)
{
	uint64_t size = 8, encoding = DW_ATE_unsigned;
	bool is_signed;
	Dwarf_Die type;

	if (op->number != 0 &&
	    (!c->attribute || dwarf_getlocation_die(c->attribute, op, &type) != 0 ||
	     !die_number(&type, DW_AT_byte_size, &size) ||
	     !die_number(&type, DW_AT_encoding, &encoding)))
		size = 0;
	is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if ((size != 1 && size != 2 && size != 4 && size != 8) ||
	    !(is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
	      encoding == DW_ATE_boolean)) {
		location_absent(c->at, ABSENT_UNSUPPORTED,
				arena_printf(c->arena, "%s of this type is not supported",
					     operator_name(op->atom, c->arena)));
	} else if (size < 8 && is_signed) {
		steps_push(&c->at->steps, PLAN_SEXT, (int64_t)size);
	} else if (size < 8) {
		steps_push(&c->at->steps, PLAN_CONST, (int64_t)((1ull << 8 * size) - 1));
		steps_push(&c->at->steps, PLAN_AND, 0);
	}
}

static void push_pick(struct compilation *c, int64_t depth)
{
	steps_push(&c->at->steps, PLAN_PICK, depth);
	unclear(c);
}

/* Operators with a range of numbers, for registers and small constants. */
static bool compile_range(struct compilation *c, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		push_constant(c, op->atom - DW_OP_lit0);
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		push_register(c, op->atom - DW_OP_breg0, (int64_t)op->number);
	else
		return false;
	return true;
}

static void compile_other(struct compilation *c, const Dwarf_Op *op)
{
	const bool gone = op->atom == DW_OP_implicit_pointer ||
			  op->atom == DW_OP_GNU_implicit_pointer ||
			  op->atom == DW_OP_GNU_parameter_ref; /* only the caller has it */

	if (compile_range(c, op) || push_binary(c, op->atom))
		return;
	location_absent(c->at, gone ? ABSENT_OPTIMIZED_OUT : ABSENT_UNSUPPORTED,
			arena_printf(c->arena, gone ? "optimised out (%s)" : "%s is not supported",
				     operator_name(op->atom, c->arena)));
}

static void push_indexed_address(struct compilation *c, const Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	Dwarf_Addr addr;

	if (!c->attribute || dwarf_getlocation_attr(c->attribute, op, &inner) != 0 ||
	    dwarf_formaddr(&inner, &addr) != 0) {
		location_absent(c->at, ABSENT_UNSUPPORTED, "its address is not in the file");
		return;
	}
	set_base(c, "a fixed address", 0);
	steps_push(&c->at->steps, PLAN_ADDRESS, (int64_t)addr);
}

static void compile_operator(struct compilation *c, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_nop:
		break;
	case DW_OP_addr:
		set_base(c, "a fixed address", 0);
		steps_push(&c->at->steps, PLAN_ADDRESS, (int64_t)op->number);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		push_indexed_address(c, op);
		break;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		push_constant(c, (int64_t)op->number);
		break;
	case DW_OP_bregx:
		push_register(c, op->number, (int64_t)op->number2);
		break;
	case DW_OP_fbreg:
		push_frame(c, &c->frame->base, (int64_t)op->number);
		break;
	case DW_OP_call_frame_cfa:
		push_frame(c, &c->frame->cfa, 0);
		break;
	case DW_OP_plus_uconst:
		add_constant(c, (int64_t)op->number);
		break;
	case DW_OP_deref:
		push_load(c, 8);
		break;
	case DW_OP_deref_size:
		push_load(c, op->number <= 8 ? (unsigned)op->number : 0);
		break;
	case DW_OP_over:
		push_pick(c, 1);
		break;
	case DW_OP_pick:
		push_pick(c, (int64_t)op->number);
		break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		push_entry_value(c, op);
		break;
	case DW_OP_implicit_value:
		push_implicit(c, op);
		break;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		convert(c, op);
		break;
	case DW_OP_stack_value:
		c->at->kind = LOCATION_VALUE;
		break;
	default: /* most of the byte's values */
		compile_other(c, op);
	}
}

/* A register location is an operator that stands alone. */
static bool compile_register(const Dwarf_Op *op, struct arena *arena, struct location *ret)
{
	uint64_t reg;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		reg = op->number;
	else
		return false;
	*ret = (struct location){.kind = LOCATION_REGISTER, .reg = (unsigned)reg};
	ret->where = reg < PLAN_REGISTERS ? location_register_name((unsigned)reg) : NULL;
	if (!ret->where)
		location_absent(ret, ABSENT_UNSUPPORTED,
				arena_printf(arena,
					     "in DWARF register %" PRIu64 ", which is not read",
					     reg));
	return true;
}

/* Does the expression say that the thing is in several places? */
static const char *composite(const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece)
			return "in several pieces (DW_OP_piece), which is not supported";
	}
	return NULL;
}

void location_compile(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t n,
		      const struct frame *frame, const struct location *start, struct arena *arena,
		      struct location *ret)
{
	struct compilation c = {attribute, frame, arena, ret, start != NULL};

	if (composite(ops, n)) {
		location_absent(ret, ABSENT_UNSUPPORTED, composite(ops, n));
		return;
	}
	if (n == 1 && !start && compile_register(&ops[0], arena, ret))
		return;
	*ret = start ? *start : (struct location){.kind = LOCATION_MEMORY, .where = ""};
	if (n == 0 && !start)
		location_absent(ret, ABSENT_OPTIMIZED_OUT, "optimised out here");
	for (size_t i = 0; i < n && ret->kind != LOCATION_ABSENT; i++)
		compile_operator(&c, &ops[i]);
	if (ret->kind == LOCATION_VALUE && ret->steps.n == 1 && ret->steps.step[0].op == PLAN_REG)
		*ret = (struct location){.kind = LOCATION_REGISTER,
					 .reg = (unsigned)ret->steps.step[0].arg,
					 .where = ret->where};
	if (ret->kind != LOCATION_ABSENT && ret->steps.overflow)
		location_absent(ret, ABSENT_UNSUPPORTED, "its location is too long an expression");
}
