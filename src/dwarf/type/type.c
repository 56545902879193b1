/*
 * Strips typedefs and qualifiers from types, and sorts the rest into kinds. type_shape.c computes
 * sizes and shapes.
 */
#include "type.h"

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

/* The result of following DW_AT_type past typedefs and qualifiers. */
struct stripped {
	Dwarf_Die die;
	bool loop;    /* the chain is cyclic */
	bool missing; /* a referenced DIE does not exist */
	bool is_const;
};

/* False: void, or no type at the end. */
static bool type_strip(Dwarf_Die *die, struct stripped *ret)
{
	Dwarf_Die at = *die;

	*ret = (struct stripped){.loop = false};
	for (int i = 0; i < TYPE_CHAIN_MAX; i++) {
		if (!die_reference(&at, DW_AT_type, &ret->die)) {
			ret->missing = dwarf_hasattr_integrate(&at, DW_AT_type);
			return false;
		}
		if (!is_wrapper(dwarf_tag(&ret->die)))
			return true;
		at = ret->die;
		ret->is_const |= dwarf_tag(&at) == DW_TAG_const_type;
	}
	ret->loop = true;
	return false;
}

static void other(struct type *type, const char *what)
{
	type->kind = TYPE_OTHER;
	type->what = what;
}

/* The size of a number, 0 if unsupported. */
static unsigned word_size(Dwarf_Die *die, unsigned otherwise)
{
	uint64_t size;

	if (!die_number(die, DW_AT_byte_size, &size))
		return otherwise;
	return size == 1 || size == 2 || size == 4 || size == 8 ? (unsigned)size : 0;
}

/* In DWARF, x87 and IEEE 128-bit formats have the same encoding and size. */
static bool is_x87(const char *name)
{
	static const char *const names[] = {"long double", "complex long double", "_Float64x",
					    "__float80", "real(kind=10)"};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void float_type(struct type *type, uint64_t size, const char *name)
{
	type->kind = TYPE_FLOAT;
	type->size = (unsigned)size;
	if (size == 16 && is_x87(name))
		type->kind = TYPE_LONG_DOUBLE;
	else if (size == 16)
		other(type, "a floating-point number of 128 bits");
	else if (size == 2)
		other(type, "a floating-point number of 16 bits");
	else if (size != 4 && size != 8)
		other(type, "a floating-point number of an odd size");
}

static void complex_type(struct type *type, uint64_t size, const char *name)
{
	float_type(type, size / 2, name);
	if (type->kind == TYPE_OTHER)
		type->what = "a complex number of an odd size";
	else
		type->kind = TYPE_COMPLEX;
	type->size = (unsigned)size;
}

/* _BitInt(17) leaves its padding bits undefined, and clang omits its width. */
static bool is_odd_integer(const char *name)
{
	return name && (strstr(name, "_BitInt") || strstr(name, "_ExtInt"));
}

static void integer_type(struct type *type, uint64_t size, const char *name)
{
	type->kind = size == 16 ? TYPE_INT128 : TYPE_INTEGER;
	type->size = (unsigned)size;
	if (is_odd_integer(name) || !(size == 16 || word_size(&type->die, 0)))
		other(type, "an integer of an odd size");
}

static void encoding_apply(struct type *type, uint64_t encoding, uint64_t size)
{
	const char *name = dwarf_diename(&type->die);

	switch (encoding) {
	case DW_ATE_boolean:
		integer_type(type, size, name);
		if (type->kind == TYPE_INTEGER)
			type->kind = TYPE_BOOL;
		break;
	case DW_ATE_float:
		float_type(type, size, name);
		break;
	case DW_ATE_complex_float:
		complex_type(type, size, name);
		break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		type->is_signed = encoding == DW_ATE_signed_char;
		integer_type(type, size, name);
		if (name && !strcmp(name, "char") && size == 1)
			type->kind = TYPE_CHAR;
		break;
	case DW_ATE_signed:
		type->is_signed = true;
		integer_type(type, size, name);
		break;
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
	case DW_ATE_UCS:
	case DW_ATE_ASCII:
		integer_type(type, size, name);
		break;
	case DW_ATE_imaginary_float:
		other(type, "an imaginary number");
		break;
	case DW_ATE_decimal_float:
		other(type, "a decimal floating-point number");
		break;
	case DW_ATE_packed_decimal:
	case DW_ATE_numeric_string:
	case DW_ATE_edited:
		other(type, "a decimal number");
		break;
	case DW_ATE_signed_fixed:
	case DW_ATE_unsigned_fixed:
		other(type, "a fixed-point number");
		break;
	}
}

static void base_type(struct type *type)
{
	uint64_t encoding, size, order;

	if (!die_number(&type->die, DW_AT_byte_size, &size) ||
	    !die_number(&type->die, DW_AT_encoding, &encoding))
		return;
	if (die_number(&type->die, DW_AT_endianity, &order) && order == DW_END_big)
		other(type, "a number in the other byte order");
	else if (size <= 32)
		encoding_apply(type, encoding, size);
	if (type->kind == TYPE_OTHER)
		type->size = 0;
}

static void unspecified_type(struct type *type)
{
	const char *name = dwarf_diename(&type->die);

	if (!name || !strstr(name, "nullptr"))
		return;
	type->kind = TYPE_NULLPTR;
	type->size = 8;
}

static void array_type(struct type *type)
{
	type->kind = die_flag(&type->die, DW_AT_GNU_vector) ? TYPE_VECTOR : TYPE_ARRAY;
}

/* C's enumerations give their sign by an encoding, or by the underlying type. */
static void enum_type(struct type *type)
{
	struct stripped under;
	uint64_t encoding;

	type->size = word_size(&type->die, 0);
	if (!die_number(&type->die, DW_AT_encoding, &encoding) &&
	    !(type_strip(&type->die, &under) && die_number(&under.die, DW_AT_encoding, &encoding)))
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
		array_type(type);
		break;
	case DW_TAG_ptr_to_member_type:
		type->kind = TYPE_MEMBER_POINTER;
		break;
	case DW_TAG_unspecified_type:
		unspecified_type(type);
		break;
	case DW_TAG_subroutine_type:
		type->kind = TYPE_FUNCTION;
		break;
	}
}

struct type type_defined(Dwarf_Die *die)
{
	struct type type = {.kind = TYPE_OTHER, .die = *die};

	tag_apply(&type);
	return type;
}

struct type type_of(Dwarf_Die *die)
{
	struct type type = {.kind = TYPE_OTHER};
	Dwarf_Die unit_type;
	struct stripped stripped;

	if (!type_strip(die, &stripped)) {
		type.kind = stripped.loop || stripped.missing ? TYPE_OTHER : TYPE_VOID;
		if (stripped.missing)
			type.what = "of a type that libdw does not find (of gcc with "
				    "-gsplit-dwarf -fdebug-types-section it finds few)";
		return type;
	}
	type.die = stripped.die;
	type.is_const = stripped.is_const;
	if (die_reference(&type.die, DW_AT_signature, &unit_type)) /* defined in a type unit */
		type.die = unit_type;
	/* Only its own attribute: a definition may refer to its declaration. */
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
	case TYPE_LONG_DOUBLE:
	case TYPE_COMPLEX:
		return FEATURE_FLOAT;
	case TYPE_ENUM:
		return FEATURE_ENUM;
	case TYPE_VOID:
	case TYPE_INTEGER:
	case TYPE_INT128:
	case TYPE_CHAR:
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_MEMBER_POINTER:
	case TYPE_NULLPTR:
	case TYPE_RECORD:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_VECTOR:
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
		[TYPE_INT128] = "an integer of 128 bits",
		[TYPE_BOOL] = "a truth value",
		[TYPE_FLOAT] = "a floating-point number",
		[TYPE_LONG_DOUBLE] = "a long double",
		[TYPE_COMPLEX] = "a complex number",
		[TYPE_ENUM] = "an enumeration",
		[TYPE_CHAR] = "a character",
		[TYPE_POINTER] = "a pointer",
		[TYPE_REFERENCE] = "a reference",
		[TYPE_MEMBER_POINTER] = "a pointer to a member",
		[TYPE_NULLPTR] = "a nullptr_t, which is always null",
		[TYPE_RECORD] = "a structure",
		[TYPE_UNION] = "a union",
		[TYPE_ARRAY] = "an array",
		[TYPE_VECTOR] = "a vector",
		[TYPE_FUNCTION] = "a function",
		[TYPE_INCOMPLETE] = "an incomplete type",
		[TYPE_OTHER] = "of another type",
	};

	return type->what ? type->what : phrases[type->kind];
}
