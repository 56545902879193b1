/* Words of base types, and conversions between them. */
#include <string.h>

#include "expression.h"

static bool is_integer(uint64_t encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ||
	       encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
	       encoding == DW_ATE_boolean || encoding == DW_ATE_UTF || encoding == DW_ATE_address;
}

static bool word_type_of(Dwarf_Die *die, struct word_type *ret)
{
	uint64_t size, encoding;

	if (!die_number(die, DW_AT_byte_size, &size) || !die_number(die, DW_AT_encoding, &encoding))
		return false;
	ret->is_float = encoding == DW_ATE_float;
	ret->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	ret->size = (unsigned)size;
	if (ret->is_float)
		return size == 4 || size == 8;
	return is_integer(encoding) && (size == 1 || size == 2 || size == 4 || size == 8);
}

bool typed_ops_find(struct expression *e, const Dwarf_Op *op, struct word_type *ret)
{
	const bool generic = (op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert ||
			      op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret) &&
			     op->number == 0;
	Dwarf_Die die;

	*ret = (struct word_type){0};
	if (generic || (e->attribute && dwarf_getlocation_die(e->attribute, op, &die) == 0 &&
			word_type_of(&die, ret)))
		return true;
	expression_refuse(e, op, "of this type is not supported");
	return false;
}

static enum plan_format format_of(struct word_type type)
{
	if (type.is_float)
		return type.size == 4 ? PLAN_FORMAT_FLOAT : PLAN_FORMAT_DOUBLE;
	return type.is_signed ? PLAN_FORMAT_SIGNED : PLAN_FORMAT_UNSIGNED;
}

/* Integer conversions truncate and extend. clang narrows booleans and characters so. */
void typed_ops_convert(struct expression *e, const Dwarf_Op *op)
{
	struct word_type from, to;

	if (!typed_ops_find(e, op, &to) || !expression_pop(e, 1))
		return;
	from = e->types[e->depth];
	if ((from.is_float && !to.size) || (to.is_float && !from.size)) {
		expression_refuse(e, op, "of a word without type is not supported");
		return;
	}
	if (format_of(from) != format_of(to) && (from.is_float || to.is_float))
		location_push(&e->at->steps, PLAN_CONVERT,
			      plan_convert_pack(format_of(from), format_of(to)));
	expression_normalise(e, to);
	expression_push(e, to);
}

void typed_ops_reinterpret(struct expression *e, const Dwarf_Op *op)
{
	struct word_type from, to;

	if (!typed_ops_find(e, op, &to) || !expression_pop(e, 1))
		return;
	from = e->types[e->depth];
	if ((from.size ? from.size : 8) != (to.size ? to.size : 8)) {
		expression_refuse(e, op, "of another size is not supported");
		return;
	}
	expression_normalise(e, to);
	expression_push(e, to);
}

void typed_ops_constant(struct expression *e, const Dwarf_Op *op)
{
	struct word_type type;
	Dwarf_Attribute inner;
	uint64_t number = 0;
	Dwarf_Block block;

	if (!typed_ops_find(e, op, &type))
		return;
	if (dwarf_getlocation_attr(e->attribute, op, &inner) != 0 ||
	    dwarf_formblock(&inner, &block) != 0 || block.length != type.size) {
		expression_refuse(e, op, "of another size is not supported");
		return;
	}
	memcpy(&number, block.data, block.length);
	location_push(&e->at->steps, PLAN_CONST, (int64_t)number);
	expression_normalise(e, type);
	expression_push(e, type);
}
