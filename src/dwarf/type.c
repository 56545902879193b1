/* Types: typedefs and qualifiers off, and what is left sorted into kinds. */
#include "dwarf/type.h"

#include <string.h>

enum { TYPE_CHAIN_MAX = 64 };

static bool is_wrapper(int tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return true;
	}
	return false;
}

/* Follow DW_AT_type until it is neither typedef nor qualifier. False: void, or a loop (*@loop). */
static bool type_strip(Dwarf_Die *die, Dwarf_Die *ret, bool *loop)
{
	Dwarf_Die at = *die;

	*loop = false;
	for (int i = 0; i < TYPE_CHAIN_MAX; i++) {
		if (!die_reference(&at, DW_AT_type, ret))
			return false;
		if (!is_wrapper(dwarf_tag(ret)))
			return true;
		at = *ret;
	}
	*loop = true;
	return false;
}

static void encoding_apply(struct type *type, uint64_t encoding)
{
	const char *name = dwarf_diename(&type->die);

	switch (encoding) {
	case DW_ATE_boolean:
		type->kind = TYPE_BOOL;
		break;
	case DW_ATE_float:
		type->kind = type->size >= 4 ? TYPE_FLOAT : TYPE_OTHER;
		break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		type->is_signed = encoding == DW_ATE_signed_char;
		type->kind = name && !strcmp(name, "char") ? TYPE_CHAR : TYPE_INTEGER;
		break;
	case DW_ATE_signed:
		type->is_signed = true;
		type->kind = TYPE_INTEGER;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
		type->kind = TYPE_INTEGER;
		break;
	}
}

/* The size of a number, 0 if none of ours. */
static unsigned word_size(Dwarf_Die *die, unsigned otherwise)
{
	uint64_t size;

	if (!die_number(die, DW_AT_byte_size, &size))
		return otherwise;
	return size == 1 || size == 2 || size == 4 || size == 8 ? (unsigned)size : 0;
}

static void base_type(struct type *type)
{
	uint64_t encoding;

	type->size = word_size(&type->die, 0);
	if (type->size && die_number(&type->die, DW_AT_encoding, &encoding))
		encoding_apply(type, encoding);
}

/* C's enumerations say their sign with an encoding, or with the type underneath. */
static void enum_type(struct type *type)
{
	Dwarf_Die under;
	uint64_t encoding;
	bool loop;

	type->size = word_size(&type->die, 0);
	if (!die_number(&type->die, DW_AT_encoding, &encoding) &&
	    !(type_strip(&type->die, &under, &loop) &&
	      die_number(&under, DW_AT_encoding, &encoding)))
		encoding = DW_ATE_signed;
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	type->kind = type->size ? TYPE_ENUM : TYPE_OTHER;
}

static void pointer_type(struct type *type, enum type_kind kind)
{
	type->size = word_size(&type->die, 8);
	type->kind = type->size == 8 ? kind : TYPE_OTHER;
}

static void tag_apply(struct type *type)
{
	switch (dwarf_tag(&type->die)) {
	case DW_TAG_base_type:
		base_type(type);
		break;
	case DW_TAG_enumeration_type:
		enum_type(type);
		break;
	case DW_TAG_pointer_type:
		pointer_type(type, TYPE_POINTER);
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		pointer_type(type, TYPE_REFERENCE);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		type->kind = TYPE_RECORD;
		break;
	case DW_TAG_union_type:
		type->kind = TYPE_UNION;
		break;
	case DW_TAG_array_type:
		type->kind = TYPE_ARRAY;
		break;
	case DW_TAG_subroutine_type:
		type->kind = TYPE_FUNCTION;
		break;
	}
}

struct type type_of(Dwarf_Die *die)
{
	struct type type = {.kind = TYPE_OTHER};
	Dwarf_Die unit_type;
	bool loop;

	if (!type_strip(die, &type.die, &loop)) {
		type.kind = loop ? TYPE_OTHER : TYPE_VOID;
		return type;
	}
	if (die_reference(&type.die, DW_AT_signature, &unit_type)) /* it is in a type unit */
		type.die = unit_type;
	/* Its own attribute: a definition may refer to the declaration that it completes. */
	if (dwarf_hasattr(&type.die, DW_AT_declaration))
		type.kind = TYPE_INCOMPLETE;
	else
		tag_apply(&type);
	return type;
}

bool type_is_scalar(const struct type *type)
{
	return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOL || type->kind == TYPE_FLOAT ||
	       type->kind == TYPE_ENUM || type->kind == TYPE_CHAR;
}

enum feature_type type_feature(const struct type *type)
{
	switch (type->kind) {
	case TYPE_BOOL:
		return FEATURE_BOOL;
	case TYPE_FLOAT:
		return FEATURE_FLOAT;
	case TYPE_ENUM:
		return FEATURE_ENUM;
	case TYPE_VOID:
	case TYPE_INTEGER:
	case TYPE_CHAR:
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_RECORD:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_FUNCTION:
	case TYPE_INCOMPLETE:
	case TYPE_OTHER:
		break;
	}
	return FEATURE_INT;
}

const char *type_phrase(const struct type *type)
{
	static const char *const phrases[] = {
		[TYPE_VOID] = "void",
		[TYPE_INTEGER] = "an integer",
		[TYPE_BOOL] = "a truth value",
		[TYPE_FLOAT] = "a floating-point number",
		[TYPE_ENUM] = "an enumeration",
		[TYPE_CHAR] = "a character",
		[TYPE_POINTER] = "a pointer",
		[TYPE_REFERENCE] = "a reference",
		[TYPE_RECORD] = "a structure",
		[TYPE_UNION] = "a union",
		[TYPE_ARRAY] = "an array",
		[TYPE_FUNCTION] = "a function",
		[TYPE_INCOMPLETE] = "an incomplete type",
		[TYPE_OTHER] = "of another type",
	};

	return phrases[type->kind];
}
