/*
 * Objects, and the ways from one to another: members, elements, what a pointer points to.
 * written_operator.c computes with their values.
 */
#include "written_value.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "dwarf/type/members.h"
#include "dwarf/type/type_lookup.h"
#include "dwarf/type/widen.h"

bool written_value_fail(struct written_maker *maker, const char *why)
{
	maker->why = why;
	return false;
}

const char *written_value_type_name(struct feature_search *finder, const struct written_type *type)
{
	struct type plain = type->type;
	const char *name = plain.die.addr ? dwarf_diename(&plain.die) : NULL;

	if (type->pointers || plain.kind == TYPE_POINTER)
		return "a pointer";
	if (!name)
		return type_phrase(&plain);
	return arena_printf(finder->arena, "%s%s",
			    plain.kind == TYPE_UNION    ? "union "
			    : plain.kind == TYPE_RECORD ? "struct "
							: "",
			    name);
}

/* What it points to. False: it is no pointer. */
bool written_value_points_to(struct feature_search *finder, const struct written_type *pointer,
			     struct written_type *ret)
{
	struct type type = pointer->type;

	*ret = *pointer;
	if (pointer->pointers)
		ret->pointers--;
	else if (type.kind == TYPE_POINTER)
		ret->type = feature_search_type(finder, &type.die);
	else
		return false;
	return true;
}

/* False: it has none. */
bool written_value_size(const struct written_type *type, uint64_t *ret)
{
	*ret = type->pointers || type->type.kind == TYPE_POINTER ? 8 : type->type.size;
	return *ret || (type->type.kind != TYPE_VOID && type->type.kind != TYPE_OTHER &&
			type_byte_size(&type->type, ret) && *ret);
}

static const char *value_type_name(struct written_maker *maker, const struct written_value *value)
{
	return written_value_type_name(maker->finder, &value->of);
}

bool written_value_is_pointer(const struct written_value *value)
{
	return value->of.pointers || value->of.type.kind == TYPE_POINTER;
}

bool written_value_is_integer(const struct written_value *value)
{
	const enum type_kind kind = value->of.type.kind;

	return !value->of.pointers && (kind == TYPE_INTEGER || kind == TYPE_CHAR ||
				       kind == TYPE_ENUM || kind == TYPE_BOOL);
}

void written_value_compute(struct written_value *value, struct type type)
{
	value->of = (struct written_type){.type = type};
	value->bits = (struct member_bits){.n_bits = 0};
	value->at.kind = LOCATION_VALUE;
	value->at.where = LOCATION_COMPUTED;
	value->at.offset = 0;
	value->is_computed = true;
}

struct type written_value_integer(unsigned size, bool is_signed)
{
	return (struct type){.kind = TYPE_INTEGER, .size = size, .is_signed = is_signed};
}

struct written_value written_value_number(const struct written *number)
{
	struct written_value value = {.n_indexed = 0};

	written_value_compute(&value, written_value_integer(number->size, number->is_signed));
	location_push(&value.at.steps, PLAN_CONST, (int64_t)number->number);
	return value;
}

bool written_value_settle(struct written_maker *maker, struct written_value *value)
{
	struct node node = {.at = value->at, .type = value->of.type};

	if (value->at.kind == LOCATION_ABSENT)
		return written_value_fail(maker, value->at.where);
	if (value->of.pointers || value->of.type.kind != TYPE_REFERENCE)
		return true;
	if (!feature_search_references(maker->finder, &node) || node.at.kind == LOCATION_ABSENT)
		return written_value_fail(maker, "a reference that cannot be read");
	value->at = node.at;
	value->of.type = node.type;
	return true;
}

/* The type of an array's elements, behind the dimensions that are chosen. */
bool written_value_element(struct written_maker *maker, const struct written_value *array,
			   struct written_type *ret, struct array_shape *shape)
{
	struct type type = array->of.type;

	if (array->of.pointers || (type.kind != TYPE_ARRAY && type.kind != TYPE_VECTOR))
		return false;
	if (!type_array(&type, shape)) {
		*shape = (struct array_shape){.element =
						      feature_search_type(maker->finder, &type.die),
					      .n_dimensions = 1};
		*ret = (struct written_type){.type = shape->element};
		written_value_size(ret, &shape->element_size);
	}
	*ret = (struct written_type){.type = shape->element};
	return true;
}

/* The word of an object on the stack: an integer, a pointer, or the address of an array. */
bool written_value_load(struct written_maker *maker, struct written_value *value)
{
	struct written_type element, of;
	struct array_shape shape;

	if (!written_value_settle(maker, value))
		return false;
	of = value->of;
	if (written_value_element(maker, value, &element, &shape) &&
	    value->at.kind == LOCATION_MEMORY && value->n_indexed + 1 == shape.n_dimensions) {
		written_value_compute(value, written_value_integer(8, false));
		value->of = (struct written_type){element.type, 1};
		value->n_indexed = 0;
		return true;
	}
	if (!written_value_is_integer(value) && !written_value_is_pointer(value))
		return written_value_fail(
			maker,
			value->of.type.kind == TYPE_FLOAT || value->of.type.kind == TYPE_LONG_DOUBLE
				? "floating-point numbers are only added, subtracted, "
				  "multiplied and divided"
				: arena_printf(maker->finder->arena, "%s is no number",
					       value_type_name(maker, value)));
	if (value->is_computed)
		return true;
	if (written_value_is_pointer(value)) {
		if (value->at.kind == LOCATION_PIECES)
			location_part(&value->at, 0, 8, maker->finder->arena);
		location_load(&value->at, 8);
	} else {
		widen_load(&value->of.type, &value->bits, &value->at);
	}
	if (value->at.kind == LOCATION_ABSENT)
		return written_value_fail(maker, value->at.where);
	written_value_compute(value, value->of.type);
	value->of = of;
	return true;
}

bool written_value_target(struct written_maker *maker, const struct written_value *value,
			  struct written_type *ret)
{
	return written_value_points_to(maker->finder, &value->of, ret) ||
	       written_value_fail(maker, arena_printf(maker->finder->arena, "%s is no pointer",
						      value_type_name(maker, value)));
}

static void become_memory(struct written_value *value, const struct written_type *type)
{
	value->at.kind = LOCATION_MEMORY;
	value->at.where = "a computed address";
	value->at.offset = 0;
	value->is_computed = false;
	value->of = *type;
}

bool written_value_dereference(struct written_maker *maker, struct written_value *value)
{
	struct written_type target, element;
	struct array_shape shape;

	if (!written_value_settle(maker, value))
		return false;
	if (written_value_element(maker, value, &element, &shape) &&
	    !written_value_load(maker, value))
		return false;
	if (!written_value_target(maker, value, &target))
		return false;
	if (value->is_computed) {
		location_push(&value->at.steps, PLAN_NONNULL, 0);
		become_memory(value, &target);
		return true;
	}
	if (value->at.kind == LOCATION_PIECES)
		location_part(&value->at, 0, 8, maker->finder->arena);
	location_dereference(&value->at, maker->finder->arena);
	value->of = target;
	return written_value_settle(maker, value);
}

bool written_value_address(struct written_maker *maker, struct written_value *value)
{
	struct written_type of;

	if (!written_value_settle(maker, value))
		return false;
	if (value->at.kind != LOCATION_MEMORY || value->bits.n_bits || value->n_indexed)
		return written_value_fail(maker, "only what is in memory has an address");
	of = value->of;
	of.pointers++;
	written_value_compute(value, of.type);
	value->of = of;
	return true;
}

/* A member looked for by its name. */
struct member_wanted {
	const char *name;
	const char *base; /* [n_base] "base<0"; 0: of any */
	size_t n_base;
	struct member found;
	bool is_found, is_ambiguous;
	bool nearest; /* of several, take that with the fewest bases between */
};

static unsigned path_length(const struct base_path *path)
{
	unsigned n = 0;

	for (; path; path = path->up)
		n++;
	return n;
}

/* Of `base<0>::name` only those of `base<0, int>` and the like are meant. */
static bool is_of_base(const struct member_wanted *wanted, const struct base_path *path)
{
	Dwarf_Die die = path ? path->die : (Dwarf_Die){.addr = NULL};
	const char *name = path && wanted->n_base ? dwarf_diename(&die) : NULL;

	return !wanted->n_base || (name && !strncmp(name, wanted->base, wanted->n_base) &&
				   !isdigit((unsigned char)name[wanted->n_base]));
}

/* The object's own members come first, and hide those of its bases; so do a base's. */
static bool member_compare(void *self, const struct member *member)
{
	struct member_wanted *wanted = self;
	const struct base_path *path = member->base;

	if (strcmp(member->name, wanted->name) != 0 || !is_of_base(wanted, path))
		return true;
	if (!wanted->is_found) {
		wanted->found = *member;
		wanted->is_found = true;
		return true;
	}
	while (path && path != wanted->found.base)
		path = path->up;
	if (!wanted->nearest)
		wanted->is_ambiguous |= wanted->found.base && path != wanted->found.base;
	else if (path_length(member->base) < path_length(wanted->found.base))
		wanted->found = *member;
	return true;
}

bool written_value_member(struct written_maker *maker, struct written_value *value,
			  const char *name)
{
	struct arena *arena = maker->finder->arena;
	struct member_wanted wanted = {.name = name, .nearest = maker->container};
	const struct member_visitor visitor = {
		.frame = maker->finder->frame,
		.arena = arena,
		.definitions = maker->finder->sources->definitions,
		.each = member_compare,
		.variants = maker->container,
		.self = &wanted,
	};
	const char *type_name = value_type_name(maker, value);
	const enum type_kind kind = value->of.type.kind;
	const char *base_end = strstr(name, ">::");

	if (value->of.pointers || (kind != TYPE_RECORD && kind != TYPE_UNION))
		return written_value_fail(
			maker, arena_printf(arena, "%s has no members%s", type_name,
					    kind == TYPE_INCOMPLETE
						    ? " that are known here: it needs the debug "
						      "information of what defines it, perhaps a "
						      "library's -dbgsym package"
						    : ""));
	if (base_end) {
		wanted.base = name;
		wanted.n_base = (size_t)(base_end - name);
		wanted.name = base_end + 3;
	}
	members_each(&visitor, &value->of.type.die, &value->at);
	if (!wanted.is_found)
		return written_value_fail(
			maker, arena_printf(arena, "no member %s in %s", name, type_name));
	if (wanted.is_ambiguous)
		return written_value_fail(
			maker, arena_printf(arena, "%s has several members %s: cast it to a base",
					    type_name, name));
	*value = (struct written_value){.of = {.type = wanted.found.type},
					.at = wanted.found.at,
					.bits = wanted.found.bits};
	return written_value_settle(maker, value);
}

/* Is it a number that is known already? */
static bool is_known(const struct written_value *value, int64_t *ret)
{
	*ret = value->at.steps.n ? value->at.steps.step[0].arg : 0;
	return value->at.kind == LOCATION_VALUE && value->at.steps.n == 1 &&
	       value->at.steps.step[0].op == PLAN_CONST;
}

/* Append the index in bytes; @count: of elements, 0: unknown. */
static void index_append(struct written_value *value, const struct written_value *index,
			 uint64_t size, uint64_t count)
{
	location_append_steps(&value->at.steps, &index->at.steps);
	if (count > 1) {
		location_push(&value->at.steps, PLAN_CONST, (int64_t)count - 1);
		location_push(&value->at.steps, PLAN_BOUND, 0);
	}
	if (size > 1) {
		location_push(&value->at.steps, PLAN_CONST, (int64_t)size);
		location_push(&value->at.steps, PLAN_MUL, 0);
	}
	location_push(&value->at.steps, PLAN_PLUS, 0);
}

/* Of a flexible or one-element array at the end of a structure the count says nothing. */
static bool array_index(struct written_maker *maker, struct written_value *value,
			const struct written_value *index, const struct array_shape *shape)
{
	struct arena *arena = maker->finder->arena;
	const unsigned at = value->n_indexed;
	const uint64_t count = shape->counts[at];
	uint64_t size = shape->element_size;
	int64_t number;

	for (unsigned i = at + 1; i < shape->n_dimensions; i++)
		size = size_product(size, shape->counts[i]);
	if (!size)
		return written_value_fail(maker, "its elements' size is not known");
	if (is_known(index, &number)) {
		if (number < 0 || number > UINT32_MAX || (count > 1 && (uint64_t)number >= count))
			return written_value_fail(
				maker,
				arena_printf(arena, "the array has %" PRIu64 " elements", count));
		if (size_product((uint64_t)number, size) > INT64_MAX)
			return written_value_fail(maker, "the array is larger than any object");
		location_part(&value->at, (uint64_t)number * size, size, arena);
	} else if (value->at.kind == LOCATION_MEMORY) {
		index_append(value, index, size, count);
		value->at.where = "a computed address";
		value->at.offset = 0;
	} else {
		return written_value_fail(maker, "an array in registers: only a number can choose");
	}
	if (++value->n_indexed >= shape->n_dimensions) {
		value->of = (struct written_type){.type = shape->element};
		value->n_indexed = 0;
	}
	return written_value_settle(maker, value);
}

bool written_value_index(struct written_maker *maker, struct written_value *value,
			 const struct written_value *index)
{
	struct written_value by = *index;
	struct written_type element;
	struct array_shape shape;
	uint64_t size;
	int64_t number;

	if (!written_value_load(maker, &by) || !written_value_settle(maker, value))
		return false;
	if (!written_value_is_integer(&by))
		return written_value_fail(maker, "an index is a whole number");
	if (written_value_element(maker, value, &element, &shape))
		return array_index(maker, value, &by, &shape);
	if (!written_value_target(maker, value, &element))
		return false;
	if (!written_value_size(&element, &size))
		return written_value_fail(maker, "what it points to has no size");
	if (!written_value_dereference(maker, value))
		return false;
	if (is_known(&by, &number))
		location_add(&value->at, (int64_t)((uint64_t)number * size));
	else
		index_append(value, &by, size, 0);
	return true;
}
