/*
 * Compiles DWARF expressions into steps, one operator at a time: registers, addresses and memory
 * here, composites in pieces.c, computation in arithmetic.c, base types in typed_ops.c, values
 * without a place in implicit_values.c. libdw finds the expression valid at an address,
 * frame_base.c the frame.
 */
#include <inttypes.h>
#include <string.h>

#include "expression.h"
#include "thread_local.h"

static void push_step(struct expression *e, enum plan_op op, int64_t arg)
{
	if (expression_push(e, (struct word_type){0}))
		location_push(&e->at->steps, op, arg);
}

static void unread_register(struct location *at, uint64_t reg, struct arena *arena)
{
	location_absent(
		at, ABSENT_UNSUPPORTED,
		arena_printf(arena, "in DWARF register %" PRIu64 ", which is not read", reg));
}

static void push_register(struct expression *e, uint64_t reg, int64_t offset)
{
	const char *name = reg < PLAN_REGISTERS ? location_register_name((unsigned)reg) : NULL;

	if (!name) {
		unread_register(e->at, reg, e->arena);
		return;
	}
	expression_name(e, name, offset);
	push_step(e, PLAN_REG, (int64_t)reg);
	location_push(&e->at->steps, PLAN_ADD, offset);
}

static void push_constant(struct expression *e, int64_t number)
{
	expression_name(e, "a constant", 0);
	push_step(e, PLAN_CONST, number);
}

/* Push a part of the frame (CFA or base) plus @offset. */
static void push_frame(struct expression *e, const struct location *part, int64_t offset)
{
	if (part->kind != LOCATION_VALUE) {
		location_absent(e->at, ABSENT_UNSUPPORTED,
				part->where ? part->where : "the frame base is not known");
		return;
	}
	expression_name(e, part->where, (int64_t)((uint64_t)part->offset + (uint64_t)offset));
	if (!expression_push(e, (struct word_type){0}))
		return;
	location_append_steps(&e->at->steps, &part->steps);
	location_push(&e->at->steps, PLAN_ADD, offset);
}

static void op_load(struct expression *e, const Dwarf_Op *op, uint64_t size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		expression_refuse(e, op, "of an odd size is not supported");
		return;
	}
	if (!expression_pop(e, 1))
		return;
	e->types[e->depth++] = (struct word_type){0};
	location_push(&e->at->steps, PLAN_LOAD, (int64_t)size);
	if (!e->has_base)
		return;
	e->at->where = e->at->offset ? arena_printf(e->arena, "*(%s%+" PRId64 ")", e->at->where,
						    e->at->offset)
				     : arena_printf(e->arena, "*(%s)", e->at->where);
	e->at->offset = 0;
}

/* Set the type of the word just pushed. */
static void type_top(struct expression *e, struct word_type type)
{
	if (e->at->kind == LOCATION_ABSENT)
		return;
	expression_normalise(e, type);
	e->types[e->depth - 1] = type;
}

static void typed_register(struct expression *e, const Dwarf_Op *op)
{
	struct word_type type;

	if (!typed_ops_find(e, op, &type))
		return;
	push_register(e, op->number, 0);
	type_top(e, type);
}

static void typed_load(struct expression *e, const Dwarf_Op *op)
{
	struct word_type type;

	if (!typed_ops_find(e, op, &type))
		return;
	op_load(e, op, op->number == type.size ? type.size : 0);
	type_top(e, type);
}

static void op_add_constant(struct expression *e, const Dwarf_Op *op)
{
	struct word_type type;

	if (!expression_pop(e, 1))
		return;
	type = e->types[e->depth++];
	if (type.is_float) {
		expression_refuse(e, op, "of floating-point numbers is not supported");
		return;
	}
	location_push(&e->at->steps, PLAN_ADD, (int64_t)op->number);
	expression_normalise(e, type);
	if (e->has_base)
		e->at->offset = (int64_t)((uint64_t)e->at->offset + op->number);
}

/* Resolve @op's operand, an index of .debug_addr, to an address or constant. */
static bool indexed(struct expression *e, const Dwarf_Op *op, Dwarf_Addr *ret)
{
	Dwarf_Attribute inner;

	if (e->attribute && dwarf_getlocation_attr(e->attribute, op, &inner) == 0 &&
	    dwarf_formaddr(&inner, ret) == 0)
		return true;
	location_absent(e->at, ABSENT_UNSUPPORTED, "its address is not in the file");
	return false;
}

static void push_address(struct expression *e, Dwarf_Addr addr)
{
	expression_name(e, arena_printf(e->arena, "0x%" PRIx64, (uint64_t)addr), 0);
	push_step(e, PLAN_ADDRESS, (int64_t)addr);
}

/* The operand is a constant: the offset in the module's thread-local block. */
static void push_thread_local(struct expression *e, const Dwarf_Op *op)
{
	struct steps *steps = &e->at->steps;
	const struct plan_step *last = steps->n ? &steps->step[steps->n - 1] : NULL;
	struct location object = {.kind = LOCATION_ABSENT};

	if (!last || (last->op != PLAN_CONST && last->op != PLAN_ADDRESS) || !e->frame->image) {
		expression_refuse(e, op, "is not supported here");
		return;
	}
	thread_local_locate(e->frame->image, (uint64_t)last->arg, &object);
	if (object.kind != LOCATION_MEMORY) {
		*e->at = object;
		return;
	}
	steps->n--;
	expression_name(e, object.where, object.offset);
	location_append_steps(steps, &object.steps);
}

/* Operators numbered in ranges, for registers and small constants. */
static bool compile_range(struct expression *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		push_constant(e, op->atom - DW_OP_lit0);
	else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		push_register(e, op->atom - DW_OP_breg0, (int64_t)op->number);
	else
		return false;
	return true;
}

static void compile_operator(struct expression *e, const Dwarf_Op *op)
{
	Dwarf_Addr addr;

	switch (op->atom) {
	case DW_OP_nop:
		break;
	case DW_OP_addr:
		push_address(e, op->number);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (indexed(e, op, &addr))
			push_address(e, addr);
		break;
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		if (indexed(e, op, &addr))
			push_constant(e, (int64_t)addr);
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
		push_constant(e, (int64_t)op->number);
		break;
	case DW_OP_bregx:
		push_register(e, op->number, (int64_t)op->number2);
		break;
	case DW_OP_fbreg:
		push_frame(e, &e->frame->base, (int64_t)op->number);
		break;
	case DW_OP_call_frame_cfa:
		push_frame(e, &e->frame->cfa, 0);
		break;
	case DW_OP_plus_uconst:
		op_add_constant(e, op);
		break;
	case DW_OP_deref:
		op_load(e, op, 8);
		break;
	case DW_OP_deref_size:
		op_load(e, op, op->number);
		break;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		push_thread_local(e, op);
		break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		implicit_values_entry_value(e, op);
		break;
	case DW_OP_implicit_value:
		implicit_values_constant(e, op);
		break;
	case DW_OP_stack_value:
		e->at->kind = LOCATION_VALUE;
		break;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		typed_ops_convert(e, op);
		break;
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		typed_ops_reinterpret(e, op);
		break;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		expression_name(e, "a constant", 0);
		typed_ops_constant(e, op);
		break;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		typed_register(e, op);
		break;
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		typed_load(e, op);
		break;
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		location_absent(
			e->at, ABSENT_OPTIMIZED_OUT,
			arena_printf(
				e->arena,
				"optimised out: the pointer is nowhere, only its target is (%s)",
				expression_operator_name(op->atom, e->arena)));
		break;
	case DW_OP_GNU_parameter_ref:
		implicit_values_parameter(e, op);
		break;
	default: /* most of the byte's values */
		if (!compile_range(e, op) && !arithmetic_compile(e, op))
			expression_refuse(e, op, "is not supported");
	}
}

/* A register location is a single operator. */
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
		unread_register(ret, reg, arena);
	return true;
}

void location_compile_expression(struct expression *e, const Dwarf_Op *ops, size_t n,
				 const struct location *start)
{
	struct location *at = e->at;

	if (n == 1 && !start && compile_register(&ops[0], e->arena, at))
		return;
	*at = start ? *start : (struct location){.kind = LOCATION_MEMORY, .where = ""};
	e->depth = start ? 1 : 0;
	e->has_base = start != NULL;
	if (n == 0 && !start)
		location_absent(at, ABSENT_OPTIMIZED_OUT, "optimised out here");
	for (size_t i = 0; i < n && at->kind != LOCATION_ABSENT && at->kind != LOCATION_PIECES;
	     i++) {
		if (pieces_is_piece(&ops[i]))
			expression_broken(e);
		else
			compile_operator(e, &ops[i]);
	}
	if (at->kind == LOCATION_ABSENT || at->kind == LOCATION_PIECES)
		return;
	if (at->kind == LOCATION_VALUE && at->steps.n == 1 && at->steps.step[0].op == PLAN_REG)
		*at = (struct location){.kind = LOCATION_REGISTER,
					.reg = (unsigned)at->steps.step[0].arg,
					.where = at->where};
	if (at->steps.overflow)
		location_absent(at, ABSENT_UNSUPPORTED, "its location is too long an expression");
	else if (at->kind != LOCATION_REGISTER && e->depth == 0)
		expression_broken(e);
	/* Words below the result are unused, but a plan must leave exactly one. */
	for (; at->kind != LOCATION_REGISTER && e->depth > 1; e->depth--) {
		location_push(&at->steps, PLAN_SWAP, 0);
		location_push(&at->steps, PLAN_DROP, 0);
	}
}

void location_compile(Dwarf_Attribute *attribute, const Dwarf_Op *ops, size_t n,
		      const struct frame_base *frame, const struct location *start,
		      struct arena *arena, struct location *ret)
{
	struct expression e = {.attribute = attribute, .frame = frame, .arena = arena, .at = ret};

	for (size_t i = 0; i < n && !start; i++) {
		if (pieces_is_piece(&ops[i])) {
			pieces_compile(&e, ops, n);
			return;
		}
	}
	location_compile_expression(&e, ops, n, start);
}
