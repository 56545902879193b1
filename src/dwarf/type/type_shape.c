/* Sizes of types, shapes of arrays, and enumerators, in bounded time on malformed input. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "type.h"

enum { NESTING_MAX = 64 };

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
	/* libdw's version takes unknown counts as 0, and may overflow. */
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

/* A dimension's length. False: known only at run time. */
static bool dimension_count(Dwarf_Die *die, uint64_t *ret)
{
	uint64_t lower = 0, upper;

	if (die_number(die, DW_AT_lower_bound, &lower) ? lower != 0
						       : dwarf_hasattr(die, DW_AT_lower_bound))
		return false;
	if (die_number(die, DW_AT_count, ret))
		return *ret <= UINT32_MAX;
	/* Without elements the bound is -1 or missing; flexible members look the same. */
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

/* Nested arrays: each is an element of the next; malformed files nest without end. */
static bool element_size(const struct type *element, uint64_t *ret)
{
	struct type type = *element;
	uint64_t n = 1;

	for (int i = 0; i < NESTING_MAX; i++) {
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
 * Only some forms have a sign: 0xc8 in one byte is 200, whatever libdw says; but 0xffffffff in a
 * signed 4-byte enumeration is -1. Labels are doubles: neighbours in a wide enumeration may
 * coincide.
 */
static bool enumerator_label(const struct type *type, Dwarf_Die *die, struct label *ret)
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

static int label_by_number(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Keep the first of each number, sorted: enumerators mostly come in order. */
static size_t label_insert(struct label *labels, size_t n, const struct label *label)
{
	size_t at = n;

	while (at > 0 && label_by_number(&labels[at - 1], label) > 0)
		at--;
	if (at > 0 && label_by_number(&labels[at - 1], label) == 0)
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

		if (dwarf_tag(&child) == DW_TAG_enumerator &&
		    enumerator_label(type, &child, &label))
			n = label_insert(labels, n, &label);
	}
	for (size_t i = 0; i < n; i++)
		labels[i].name = arena_strdup(arena, labels[i].name);
	*ret = n ? arena_copy(arena, labels, n * sizeof(*labels)) : NULL;
	free(labels);
	return n;
}
