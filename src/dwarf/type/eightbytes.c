/* The ABI's classification over the DIEs of types. return_value.c maps classes to registers. */
#include "eightbytes.h"

#include <string.h>

enum { NESTING_MAX = 16, FIELDS_MAX = 256, IN_REGISTERS = 16 };

struct classifier {
	struct eightbytes *ret;
	unsigned n; /* fields looked at */
	const char *why;
};

static bool eightbyte_give_up(struct classifier *c, const char *why)
{
	c->why = why;
	return false;
}

/* The class of two fields in one eightbyte. */
static enum eightbyte_class eightbyte_merge(enum eightbyte_class a, enum eightbyte_class b)
{
	if (a == b || b == EIGHTBYTE_NONE)
		return a;
	if (a == EIGHTBYTE_NONE)
		return b;
	if (a == EIGHTBYTE_MEMORY || b == EIGHTBYTE_MEMORY)
		return EIGHTBYTE_MEMORY;
	if (a == EIGHTBYTE_INTEGER || b == EIGHTBYTE_INTEGER)
		return EIGHTBYTE_INTEGER;
	if (a == EIGHTBYTE_X87 || b == EIGHTBYTE_X87)
		return EIGHTBYTE_MEMORY;
	return EIGHTBYTE_SSE;
}

/* A field of @size bytes of one class, except the upper part of a vector. */
static void field_put(struct classifier *c, uint64_t offset, uint64_t size,
		      enum eightbyte_class class)
{
	for (uint64_t at = offset / 8; size && at <= (offset + size - 1) / 8 && at < 2; at++) {
		const bool upper = class == EIGHTBYTE_SSE && size == 16 && at > offset / 8;

		c->ret->classes[at] =
			eightbyte_merge(c->ret->classes[at], upper ? EIGHTBYTE_SSE_UPPER : class);
	}
}

static void all_memory(struct classifier *c)
{
	c->ret->classes[0] = c->ret->classes[1] = EIGHTBYTE_MEMORY;
}

/* Unaligned (packed) fields put the whole object in memory. */
static bool number_put(struct classifier *c, uint64_t offset, uint64_t size, uint64_t alignment,
		       enum eightbyte_class class)
{
	if (offset % alignment)
		all_memory(c);
	else
		field_put(c, offset, size, class);
	return true;
}

static bool type_put(struct classifier *c, const struct type *type, uint64_t offset,
		     unsigned nesting);

/* DWARF 3, and gcc before DWARF 5, count from the most significant bit of a storage unit. */
static bool eightbyte_first_bit(Dwarf_Die *die, uint64_t n_bits, uint64_t *ret)
{
	const struct type type = type_of(die);
	uint64_t start = 0, from_top, unit = type.size;

	if (die_number(die, DW_AT_data_bit_offset, ret))
		return true;
	if (!die_number(die, DW_AT_bit_offset, &from_top))
		return false;
	die_number(die, DW_AT_byte_size, &unit);
	die_number(die, DW_AT_data_member_location, &start);
	if (unit > 8 || from_top > unit * 8 || n_bits > unit * 8 - from_top || start > IN_REGISTERS)
		return false;
	*ret = start * 8 + unit * 8 - from_top - n_bits;
	return true;
}

static bool bits_put(struct classifier *c, Dwarf_Die *die, uint64_t n_bits)
{
	uint64_t first;

	if (n_bits > 64 || !eightbyte_first_bit(die, n_bits, &first))
		return eightbyte_give_up(c, "it has bit-fields at an unknown place");
	if (n_bits && first < 8 * IN_REGISTERS)
		field_put(c, first / 8, (first % 8 + n_bits + 7) / 8, EIGHTBYTE_INTEGER);
	return true;
}

static bool member_put(struct classifier *c, Dwarf_Die *die, uint64_t offset, unsigned nesting)
{
	const struct type type = type_of(die);
	uint64_t at = 0, n_bits;

	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration))
		return true; /* static */
	if (die_number(die, DW_AT_bit_size, &n_bits)) {
		if (offset)
			return eightbyte_give_up(c, "it has bit-fields in a nested structure");
		return bits_put(c, die, n_bits);
	}
	if (dwarf_hasattr(die, DW_AT_data_member_location) &&
	    !die_number(die, DW_AT_data_member_location, &at))
		return eightbyte_give_up(c, "it has virtual bases");
	return at > IN_REGISTERS || type_put(c, &type, offset + at, nesting);
}

static bool record_put(struct classifier *c, const struct type *type, uint64_t offset,
		       unsigned nesting)
{
	Dwarf_Die record = type->die, child;

	for (bool more = die_first(&record, &child); more; more = die_next(&child)) {
		const int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    !member_put(c, &child, offset, nesting))
			return false;
		if (tag == DW_TAG_variant_part)
			return eightbyte_give_up(c, "it has variants");
	}
	return true;
}

static bool array_put(struct classifier *c, const struct type *type, uint64_t offset,
		      unsigned nesting)
{
	struct array_shape shape;

	if (!type_array(type, &shape) || !shape.element_size)
		return eightbyte_give_up(c, "it has an array of unknown length");
	for (uint64_t i = 0; i < shape.n; i++) {
		const uint64_t at = offset + i * shape.element_size;

		if (at >= IN_REGISTERS)
			break;
		if (!type_put(c, &shape.element, at, nesting))
			return false;
	}
	return true;
}

static bool complex_put(struct classifier *c, const struct type *type, uint64_t offset)
{
	const struct type part = type_complex_part(type);

	if (part.kind == TYPE_LONG_DOUBLE)
		return number_put(c, offset, 16, 16, EIGHTBYTE_X87);
	number_put(c, offset, part.size, part.size, EIGHTBYTE_SSE);
	return number_put(c, offset + part.size, part.size, part.size, EIGHTBYTE_SSE);
}

/*
 * A pointer to data member is an offset; one to a member function is the function and an adjustment
 * of `this`.
 */
static bool member_pointer_put(struct classifier *c, const struct type *type, uint64_t offset)
{
	Dwarf_Die die = type->die;
	const struct type target = type_of(&die);

	return number_put(c, offset, target.kind == TYPE_FUNCTION ? 16 : 8, 8, EIGHTBYTE_INTEGER);
}

static bool type_put(struct classifier *c, const struct type *type, uint64_t offset,
		     unsigned nesting)
{
	uint64_t size = type->size;

	if (nesting > NESTING_MAX || ++c->n > FIELDS_MAX)
		return eightbyte_give_up(c, "its type has too many parts");
	switch (type->kind) {
	case TYPE_INTEGER:
	case TYPE_BOOL:
	case TYPE_ENUM:
	case TYPE_CHAR:
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_NULLPTR:
	case TYPE_INT128:
		return number_put(c, offset, size, size, EIGHTBYTE_INTEGER);
	case TYPE_FLOAT:
		return number_put(c, offset, size, size, EIGHTBYTE_SSE);
	case TYPE_LONG_DOUBLE:
		return number_put(c, offset, size, size, EIGHTBYTE_X87);
	case TYPE_COMPLEX:
		return complex_put(c, type, offset);
	case TYPE_VECTOR:
		if (!type_byte_size(type, &size) || (size != 8 && size != 16))
			return eightbyte_give_up(c, "a vector of this size");
		return number_put(c, offset, size, size, EIGHTBYTE_SSE);
	case TYPE_MEMBER_POINTER:
		return member_pointer_put(c, type, offset);
	case TYPE_RECORD:
	case TYPE_UNION:
		return record_put(c, type, offset, nesting + 1);
	case TYPE_ARRAY:
		return array_put(c, type, offset, nesting + 1);
	case TYPE_VOID:
	case TYPE_FUNCTION:
	case TYPE_INCOMPLETE:
	case TYPE_OTHER:
		break;
	}
	return eightbyte_give_up(c, type_phrase(type));
}

static bool is_aggregate(const struct type *type)
{
	return type->kind == TYPE_RECORD || type->kind == TYPE_UNION || type->kind == TYPE_ARRAY;
}

bool eightbytes_classify(const struct type *type, struct eightbytes *ret, const char **ret_why)
{
	struct eightbytes found = {{EIGHTBYTE_NONE, EIGHTBYTE_NONE}, 0};
	struct classifier c = {.ret = &found};

	if (type->kind == TYPE_MEMBER_POINTER) {
		Dwarf_Die die = type->die;

		found.size = type_of(&die).kind == TYPE_FUNCTION ? 16 : 8;
	} else if (!type_byte_size(type, &found.size)) {
		*ret_why = type_phrase(type);
		return false;
	}
	if (found.size > IN_REGISTERS && is_aggregate(type)) {
		all_memory(&c);
	} else if (!type_put(&c, type, 0, 0)) {
		*ret_why = c.why;
		return false;
	}
	if (found.classes[0] == EIGHTBYTE_MEMORY || found.classes[1] == EIGHTBYTE_MEMORY ||
	    (found.classes[1] == EIGHTBYTE_X87 && found.classes[0] != EIGHTBYTE_X87))
		all_memory(&c);
	*ret = found;
	return true;
}

/* Special member functions (copy, move, destroy), as bits of what was found. */
enum special {
	NO_SPECIAL = 0,
	COPY_DELETED = 1 << 0,
	COPY_TRIVIAL = 1 << 1, /* by the class itself */
	NOT_TRIVIAL = 1 << 2,
	UNCERTAIN = 1 << 3,
};

/* Is the first parameter after `this` a reference to the class? *@ret_more: are there others? */
static bool takes_itself(Dwarf_Die *function, Dwarf_Die *record, bool *ret_more)
{
	struct type type, target;
	unsigned n = 0;
	Dwarf_Die child;
	bool found = false;

	for (bool more = die_first(function, &child); more; more = die_next(&child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    die_flag(&child, DW_AT_artificial) || n++)
			continue;
		type = type_of(&child);
		if (type.kind != TYPE_REFERENCE)
			return false;
		target = type_of(&type.die);
		found = target.die.addr == record->addr;
	}
	*ret_more = n > 1;
	return found;
}

/* gcc says of every function whether it is defaulted; others may not before DWARF 5. */
static bool tells_defaults(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *producer = NULL;
	Dwarf_Half version;
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	if (dwarf_attr_integrate(&unit, DW_AT_producer, &attribute))
		producer = dwarf_formstring(&attribute);
	return producer && !strncmp(producer, "GNU", 3) && !strstr(producer, "-gstrict-dwarf") &&
	       dwarf_cu_info(unit.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) == 0 &&
	       version >= 4;
}

static enum special special_of(Dwarf_Die *function, Dwarf_Die *record)
{
	const char *name = dwarf_diename(function), *class_name = dwarf_diename(record);
	const size_t n = class_name ? strcspn(class_name, "<") : 0;
	const bool ends = name && *name == '~';
	uint64_t defaulted;
	bool more = false;

	if (!ends) {
		if (!name || !n || strncmp(name, class_name, n) != 0 ||
		    (name[n] && name[n] != '<') || !takes_itself(function, record, &more))
			return NO_SPECIAL;
	}
	if (die_flag(function, DW_AT_deleted))
		return ends ? NOT_TRIVIAL : COPY_DELETED;
	if (die_flag(function, DW_AT_artificial))
		return NO_SPECIAL; /* members and bases decide */
	if (die_number(function, DW_AT_defaulted, &defaulted) && defaulted == DW_DEFAULTED_in_class)
		return ends ? NO_SPECIAL : COPY_TRIVIAL;
	return more || !tells_defaults(record) ? UNCERTAIN : NOT_TRIVIAL;
}

static enum eightbyte_copy copy_of(const struct type *type, unsigned nesting, unsigned *budget);

/* How a member or base may be copied. */
static enum eightbyte_copy part_copy(Dwarf_Die *die, unsigned nesting, unsigned *budget)
{
	struct array_shape shape;
	struct type type;

	if (dwarf_hasattr(die, DW_AT_virtuality))
		return EIGHTBYTE_BY_REFERENCE;
	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration))
		return EIGHTBYTE_BY_VALUE;
	type = type_of(die);
	if (type_array(&type, &shape))
		type = shape.element;
	return copy_of(&type, nesting + 1, budget);
}

/* How the class may be copied, by its own functions. */
static enum eightbyte_copy own_copy(unsigned specials)
{
	if (specials & NOT_TRIVIAL)
		return EIGHTBYTE_BY_REFERENCE;
	if (specials & UNCERTAIN)
		return EIGHTBYTE_UNCERTAIN;
	/* If all are deleted, not even its bytes may be copied. */
	return (specials & COPY_DELETED) && !(specials & COPY_TRIVIAL) ? EIGHTBYTE_BY_REFERENCE
								       : EIGHTBYTE_BY_VALUE;
}

static enum eightbyte_copy record_copy(Dwarf_Die *record, unsigned nesting, unsigned *budget)
{
	enum eightbyte_copy copy = EIGHTBYTE_BY_VALUE, part;
	unsigned specials = NO_SPECIAL;
	Dwarf_Die child;

	for (bool more = die_first(record, &child); more; more = die_next(&child)) {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram)
			specials |= special_of(&child, record);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		part = part_copy(&child, nesting, budget);
		if (part == EIGHTBYTE_BY_REFERENCE)
			return part;
		if (part == EIGHTBYTE_UNCERTAIN)
			copy = part;
	}
	part = own_copy(specials);
	return part == EIGHTBYTE_BY_VALUE ? copy : part;
}

static enum eightbyte_copy copy_of(const struct type *type, unsigned nesting, unsigned *budget)
{
	Dwarf_Die record = type->die;
	uint64_t convention;

	if (type->kind == TYPE_INCOMPLETE)
		return EIGHTBYTE_UNCERTAIN;
	if (type->kind != TYPE_RECORD && type->kind != TYPE_UNION)
		return EIGHTBYTE_BY_VALUE;
	if (die_number(&record, DW_AT_calling_convention, &convention))
		return convention == DW_CC_pass_by_reference ? EIGHTBYTE_BY_REFERENCE
							     : EIGHTBYTE_BY_VALUE;
	if (dwarf_hasattr(&record, DW_AT_containing_type))
		return EIGHTBYTE_BY_REFERENCE; /* virtual functions */
	if (nesting > NESTING_MAX || ++*budget > FIELDS_MAX)
		return EIGHTBYTE_UNCERTAIN;
	return record_copy(&record, nesting, budget);
}

enum eightbyte_copy eightbytes_copy(const struct type *type)
{
	unsigned budget = 0;

	return copy_of(type, 0, &budget);
}
