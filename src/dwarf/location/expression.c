/* The state of an expression: its stack of types, and the reason why it cannot be compiled. */
#include "expression.h"

const char *expression_operator_name(unsigned atom, struct arena *arena)
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
		{DW_OP_call2, "DW_OP_call2"},
		{DW_OP_call4, "DW_OP_call4"},
		{DW_OP_call_ref, "DW_OP_call_ref"},
		{DW_OP_xderef_size, "DW_OP_xderef_size"},
		{DW_OP_xderef_type, "DW_OP_xderef_type"},
		{DW_OP_GNU_uninit, "DW_OP_GNU_uninit"},
		{DW_OP_plus_uconst, "DW_OP_plus_uconst"},
		{DW_OP_deref, "DW_OP_deref"},
		{DW_OP_deref_size, "DW_OP_deref_size"},
		{DW_OP_div, "DW_OP_div"},
		{DW_OP_shr, "DW_OP_shr"},
		{DW_OP_shra, "DW_OP_shra"},
		{DW_OP_plus, "DW_OP_plus"},
		{DW_OP_minus, "DW_OP_minus"},
		{DW_OP_mul, "DW_OP_mul"},
		{DW_OP_neg, "DW_OP_neg"},
		{DW_OP_not, "DW_OP_not"},
		{DW_OP_and, "DW_OP_and"},
		{DW_OP_or, "DW_OP_or"},
		{DW_OP_xor, "DW_OP_xor"},
		{DW_OP_shl, "DW_OP_shl"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].atom == atom)
			return names[i].name;
	}
	return arena_printf(arena, "DWARF operator 0x%x", atom);
}

void expression_refuse(struct expression *e, const Dwarf_Op *op, const char *why)
{
	location_absent(
		e->at, ABSENT_UNSUPPORTED,
		arena_printf(e->arena, "%s %s", expression_operator_name(op->atom, e->arena), why));
}

void expression_broken(struct expression *e)
{
	location_absent(e->at, ABSENT_UNSUPPORTED, "its location is a broken expression");
}

void expression_unclear(struct expression *e)
{
	if (e->at->kind == LOCATION_ABSENT)
		return;
	e->at->where = LOCATION_COMPUTED;
	e->at->offset = 0;
	e->has_base = false;
}

bool expression_push(struct expression *e, struct word_type type)
{
	if (e->at->kind == LOCATION_ABSENT)
		return false;
	if (e->depth == PLAN_STACK) {
		location_absent(e->at, ABSENT_UNSUPPORTED,
				"its location is too long an expression");
		return false;
	}
	e->types[e->depth++] = type;
	return true;
}

bool expression_pop(struct expression *e, unsigned n)
{
	if (e->depth < n) {
		expression_broken(e);
		return false;
	}
	e->depth -= n;
	return true;
}

void expression_normalise(struct expression *e, struct word_type type)
{
	if (type.is_float || !type.size || type.size >= 8)
		return;
	if (type.is_signed) {
		location_push(&e->at->steps, PLAN_SEXT, (int64_t)type.size);
	} else {
		location_push(&e->at->steps, PLAN_CONST,
			      (int64_t)((UINT64_C(1) << 8 * type.size) - 1));
		location_push(&e->at->steps, PLAN_AND, 0);
	}
}

void expression_name(struct expression *e, const char *where, int64_t offset)
{
	const bool first = e->at->steps.n == 0;

	e->at->where = first ? where : LOCATION_COMPUTED;
	e->at->offset = first ? offset : 0;
	e->has_base = first;
}
