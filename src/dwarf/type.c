/* Types: typedefs and qualifiers off, and what is left sorted into kinds. */
#include "dwarf/type.h"

#include <stdlib.h>
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

static void other(struct type *type, const char *what)
{
	type->kind = TYPE_OTHER;
	type->what = what;
}

/* The size of a number, 0 if none of ours. */
static unsigned word_size(Dwarf_Die *die, unsigned otherwise)
{
	uint64_t size;

	if (!die_number(die, DW_AT_byte_size, &size))
		return otherwise;
	return size == 1 || size == 2 || size == 4 || size == 8 ? (unsigned)size : 0;
}

/* DWARF gives the x87's format and IEEE's of 128 bits the same encoding and size. */
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

/* _BitInt(17) leaves the bits that it does not have undefined, and clang does not tell its width. */
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

bool type_byte_size(const struct type *type, uint64_t *ret)
{
	Dwarf_Die die = type->die;
	Dwarf_Word size;

	if (type->size) {
		*ret = type->size;
		return true;
	}
	if (type->kind == TYPE_VOID || type->kind == TYPE_INCOMPLETE || type->kind == TYPE_FUNCTION)
		return false;
	/* libdw's multiplies what is not known by nothing, and may overflow. */
	if (type->kind == TYPE_ARRAY || type->kind == TYPE_VECTOR) {
		struct array_shape shape;

		if (!die_number(&die, DW_AT_byte_size, ret)) {
			if (!type_array(type, &shape) || !shape.element_size)
				return false;
			*ret = shape.n * shape.element_size;
		}
		return true;
	}
	if (dwarf_aggregate_size(&die, &size) != 0)
		return false;
	*ret = size;
	return true;
}

/* A dimension's length. False: it is not known before the program runs. */
static bool dimension_count(Dwarf_Die *die, uint64_t *ret)
{
	uint64_t lower = 0, upper;

	if (die_number(die, DW_AT_lower_bound, &lower) ? lower != 0
						       : dwarf_hasattr(die, DW_AT_lower_bound))
		return false;
	if (die_number(die, DW_AT_count, ret))
		return *ret <= UINT32_MAX;
	/* Without elements the bound is -1, or is not there; flexible members look the same. */
	if (!die_number(die, DW_AT_upper_bound, &upper) || upper >= UINT32_MAX)
		return false;
	*ret = upper + 1;
	return true;
}

static bool dimensions_count(Dwarf_Die *array, struct array_shape *shape)
{
	Dwarf_Die child;

	shape->n = 1;
	for (bool more = die_first(array, &child); more; more = die_next(&child)) {
		uint64_t count;

		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			return false; /* indexed by an enumeration */
		if (shape->n_dimensions == ARRAY_DIMENSIONS_MAX ||
		    !dimension_count(&child, &count) || (count && shape->n > UINT32_MAX / count))
			return false;
		shape->counts[shape->n_dimensions++] = count;
		shape->n *= count;
	}
	return shape->n_dimensions > 0;
}

/* Of nested arrays each is an element of the next; a hostile file nests them without end. */
static bool element_size(const struct type *element, uint64_t *ret)
{
	struct type type = *element;
	uint64_t n = 1;

	for (int i = 0; i < TYPE_CHAIN_MAX; i++) {
		struct array_shape shape = {0};
		Dwarf_Die die = type.die;

		if ((type.kind != TYPE_ARRAY && type.kind != TYPE_VECTOR) ||
		    die_number(&die, DW_AT_byte_size, ret)) {
			if (!type_byte_size(&type, ret) || *ret > UINT32_MAX)
				return false;
			*ret *= n;
			return *ret <= UINT32_MAX;
		}
		if (!dimensions_count(&die, &shape) || n * shape.n > UINT32_MAX)
			return false;
		n *= shape.n;
		type = type_of(&die);
	}
	return false;
}

bool type_array(const struct type *type, struct array_shape *ret)
{
	struct array_shape shape = {.element_size = 0};
	Dwarf_Die die = type->die;
	uint64_t stride;

	if ((type->kind != TYPE_ARRAY && type->kind != TYPE_VECTOR) ||
	    dwarf_hasattr(&die, DW_AT_byte_stride) || dwarf_hasattr(&die, DW_AT_bit_stride) ||
	    dwarf_hasattr(&die, DW_AT_data_location) || !dimensions_count(&die, &shape))
		return false;
	shape.element = type_of(&die);
	if (element_size(&shape.element, &stride))
		shape.element_size = stride;
	if (shape.element_size && shape.n > UINT32_MAX / shape.element_size)
		return false;
	*ret = shape;
	return true;
}

struct type type_complex_part(const struct type *type)
{
	struct type part = *type;

	part.size = type->size / 2;
	part.kind = part.size == 16 ? TYPE_LONG_DOUBLE : TYPE_FLOAT;
	return part;
}

/*
 * Only some forms have a sign: 0xc8 in one byte is 200, whatever libdw makes of it; but 0xffffffff of
 * a signed enumeration of four bytes is -1. Numbers are doubles: neighbours in a wide enumeration may become one.
 */
static bool label_of(const struct type *type, Dwarf_Die *die, struct label *ret)
{
	const unsigned unused = 64 - 8 * type->size;
	Dwarf_Attribute attribute;
	Dwarf_Sword number;
	Dwarf_Word bits;
	unsigned form;

	ret->name = dwarf_diename(die);
	if (!ret->name || !dwarf_attr(die, DW_AT_const_value, &attribute))
		return false;
	form = dwarf_whatform(&attribute);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(&attribute, &number) != 0)
			return false;
		bits = (Dwarf_Word)number;
	} else if (dwarf_formudata(&attribute, &bits) != 0) {
		return false;
	}
	bits <<= unused;
	ret->number =
		type->is_signed ? (double)((int64_t)bits >> unused) : (double)(bits >> unused);
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Insert the first of its number, in order: enumerators mostly come sorted. */
static size_t label_insert(struct label *labels, size_t n, const struct label *label)
{
	size_t at = n;

	while (at > 0 && by_number(&labels[at - 1], label) > 0)
		at--;
	if (at > 0 && by_number(&labels[at - 1], label) == 0)
		return n;
	memmove(&labels[at + 1], &labels[at], (n - at) * sizeof(*labels));
	labels[at] = *label;
	return n + 1;
}

size_t type_labels(const struct type *type, struct arena *arena, const struct label **ret)
{
	struct label *labels = mem_alloc(LABELS_MAX * sizeof(*labels));
	Dwarf_Die die = type->die, child;
	size_t n = 0;

	for (bool more = type->kind == TYPE_ENUM && die_first(&die, &child); more && n < LABELS_MAX;
	     more = die_next(&child)) {
		struct label label;

		if (dwarf_tag(&child) == DW_TAG_enumerator && label_of(type, &child, &label))
			n = label_insert(labels, n, &label);
	}
	for (size_t i = 0; i < n; i++)
		labels[i].name = arena_strdup(arena, labels[i].name);
	*ret = n ? arena_copy(arena, labels, n * sizeof(*labels)) : NULL;
	free(labels);
	return n;
}
