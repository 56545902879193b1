/*
 * C's operators on locations. Integers are on the stack as 64 bits, extended by their sign, and cut
 * to their type's size behind each operation; the usual conversions are C23's, 6.3.1.
 */
#include "written_value.h"

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
static bool type_target(struct feature_search *finder, const struct written_type *pointer,
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
static bool type_size(const struct written_type *type, uint64_t *ret)
{
	*ret = type->pointers || type->type.kind == TYPE_POINTER ? 8 : type->type.size;
	return *ret || (type->type.kind != TYPE_VOID && type->type.kind != TYPE_OTHER &&
			type_byte_size(&type->type, ret) && *ret);
}

static const char *value_type_name(struct written_maker *maker, const struct written_value *value)
{
	return written_value_type_name(maker->finder, &value->of);
}

static bool is_pointer(const struct written_value *value)
{
	return value->of.pointers || value->of.type.kind == TYPE_POINTER;
}

static bool is_integer(const struct written_value *value)
{
	const enum type_kind kind = value->of.type.kind;

	return !value->of.pointers && (kind == TYPE_INTEGER || kind == TYPE_CHAR ||
				       kind == TYPE_ENUM || kind == TYPE_BOOL);
}

/* Cut the word on top to an integer type. */
static void word_cut(struct steps *steps, const struct type *type)
{
	if (type->size == 8)
		return;
	if (type->is_signed) {
		location_push(steps, PLAN_SEXT, type->size);
		return;
	}
	location_push(steps, PLAN_CONST, (int64_t)(UINT64_MAX >> (64 - 8 * type->size)));
	location_push(steps, PLAN_AND, 0);
}

static void become_computed(struct written_value *value, struct type type)
{
	value->of = (struct written_type){.type = type};
	value->bits = (struct member_bits){.n_bits = 0};
	value->at.kind = LOCATION_VALUE;
	value->at.where = LOCATION_COMPUTED;
	value->at.offset = 0;
	value->is_computed = true;
}

static struct type int_type(unsigned size, bool is_signed)
{
	return (struct type){.kind = TYPE_INTEGER, .size = size, .is_signed = is_signed};
}

struct written_value written_value_number(const struct written *number)
{
	struct written_value value = {.n_indexed = 0};

	become_computed(&value, int_type(number->size, number->is_signed));
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
static bool array_element(struct written_maker *maker, const struct written_value *array,
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
		type_size(ret, &shape->element_size);
	}
	*ret = (struct written_type){.type = shape->element};
	return true;
}

/* The word of an object on the stack: an integer, a pointer, or the address of an array. */
static bool value_load(struct written_maker *maker, struct written_value *value)
{
	struct written_type element, of;
	struct array_shape shape;

	if (!written_value_settle(maker, value))
		return false;
	of = value->of;
	if (array_element(maker, value, &element, &shape) && value->at.kind == LOCATION_MEMORY &&
	    value->n_indexed + 1 == shape.n_dimensions) {
		become_computed(value, int_type(8, false));
		value->of = (struct written_type){element.type, 1};
		value->n_indexed = 0;
		return true;
	}
	if (!is_integer(value) && !is_pointer(value))
		return written_value_fail(
			maker,
			value->of.type.kind == TYPE_FLOAT || value->of.type.kind == TYPE_LONG_DOUBLE
				? "floating-point numbers can be read, but not computed with"
				: arena_printf(maker->finder->arena, "%s is no number",
					       value_type_name(maker, value)));
	if (value->is_computed)
		return true;
	if (is_pointer(value)) {
		if (value->at.kind == LOCATION_PIECES)
			location_part(&value->at, 0, 8, maker->finder->arena);
		location_load(&value->at, 8);
	} else {
		widen_load(&value->of.type, &value->bits, &value->at);
	}
	if (value->at.kind == LOCATION_ABSENT)
		return written_value_fail(maker, value->at.where);
	become_computed(value, value->of.type);
	value->of = of;
	return true;
}

static bool target_check(struct written_maker *maker, const struct written_value *value,
			 struct written_type *ret)
{
	return type_target(maker->finder, &value->of, ret) ||
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
	if (array_element(maker, value, &element, &shape) && !value_load(maker, value))
		return false;
	if (!target_check(maker, value, &target))
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
	become_computed(value, of.type);
	value->of = of;
	return true;
}

/* A member looked for by its name. */
struct member_wanted {
	const char *name;
	struct member found;
	bool is_found, is_ambiguous;
};

/* The object's own members come first, and hide those of its bases; so do a base's. */
static bool member_compare(void *self, const struct member *member)
{
	struct member_wanted *wanted = self;
	const struct base_path *path = member->base;

	if (strcmp(member->name, wanted->name) != 0)
		return true;
	if (!wanted->is_found) {
		wanted->found = *member;
		wanted->is_found = true;
		return true;
	}
	while (path && path != wanted->found.base)
		path = path->up;
	wanted->is_ambiguous |= wanted->found.base && path != wanted->found.base;
	return true;
}

bool written_value_member(struct written_maker *maker, struct written_value *value,
			  const char *name)
{
	struct arena *arena = maker->finder->arena;
	struct member_wanted wanted = {.name = name};
	const struct member_visitor visitor = {
		.frame = maker->finder->frame,
		.arena = arena,
		.definitions = maker->finder->sources->definitions,
		.each = member_compare,
		.self = &wanted,
	};
	const char *type_name = value_type_name(maker, value);
	const enum type_kind kind = value->of.type.kind;

	if (value->of.pointers || (kind != TYPE_RECORD && kind != TYPE_UNION))
		return written_value_fail(
			maker, arena_printf(arena, "%s has no members%s", type_name,
					    kind == TYPE_INCOMPLETE ? " that are known here" : ""));
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
		size *= shape->counts[i];
	if (!size)
		return written_value_fail(maker, "its elements' size is not known");
	if (is_known(index, &number)) {
		if (number < 0 || number > UINT32_MAX || (count > 1 && (uint64_t)number >= count))
			return written_value_fail(
				maker,
				arena_printf(arena, "the array has %" PRIu64 " elements", count));
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

	if (!value_load(maker, &by) || !written_value_settle(maker, value))
		return false;
	if (!is_integer(&by))
		return written_value_fail(maker, "an index is a whole number");
	if (array_element(maker, value, &element, &shape))
		return array_index(maker, value, &by, &shape);
	if (!target_check(maker, value, &element))
		return false;
	if (!type_size(&element, &size))
		return written_value_fail(maker, "what it points to has no size");
	if (!written_value_dereference(maker, value))
		return false;
	if (is_known(&by, &number))
		location_add(&value->at, (int64_t)((uint64_t)number * size));
	else
		index_append(value, &by, size, 0);
	return true;
}

/* Pointers to a class and to its base differ by where the base is. */
static bool pointer_cast(struct written_maker *maker, struct written_value *value,
			 const struct written_type *to)
{
	struct written_type from_target, to_target;
	const struct function_features *sources = maker->finder->sources;
	const struct type_lookup lookup = {sources->image, sources->definitions, sources->names};
	uint64_t offset = 0;
	bool up, down;

	if (!type_target(maker->finder, &value->of, &from_target) ||
	    !type_target(maker->finder, to, &to_target) || from_target.pointers ||
	    to_target.pointers)
		return true;
	up = type_lookup_base(&lookup, &from_target.type, &to_target.type, &offset);
	down = !up && type_lookup_base(&lookup, &to_target.type, &from_target.type, &offset);
	if (!offset || !(up || down))
		return true;
	if (!value_load(maker, value))
		return false;
	location_push(&value->at.steps, PLAN_NONNULL, 0);
	location_push(&value->at.steps, PLAN_ADD, (int64_t)(up ? offset : 0 - offset));
	return true;
}

static bool float_cast(struct written_maker *maker, struct written_value *value,
		       const struct type *to)
{
	const unsigned size = value->of.type.size;

	location_load(&value->at, size);
	if (value->at.kind == LOCATION_ABSENT)
		return written_value_fail(maker, value->at.where);
	location_push(&value->at.steps, PLAN_CONVERT,
		      plan_convert_pack(size == 4 ? PLAN_FORMAT_FLOAT : PLAN_FORMAT_DOUBLE,
					to->is_signed ? PLAN_FORMAT_SIGNED : PLAN_FORMAT_UNSIGNED));
	word_cut(&value->at.steps, to);
	become_computed(value, *to);
	return true;
}

bool written_value_cast(struct written_maker *maker, struct written_value *value,
			const struct written_type *to)
{
	struct written_value target = {.of = *to};

	if (!written_value_settle(maker, value))
		return false;
	if (is_pointer(&target)) {
		if (!is_pointer(value) && !value_load(maker, value))
			return false;
		if (!pointer_cast(maker, value, to))
			return false;
		value->of = *to;
		return true;
	}
	if (!is_integer(&target) || to->type.kind == TYPE_ENUM)
		return written_value_fail(
			maker, arena_printf(maker->finder->arena, "a cast to %s is not read",
					    written_value_type_name(maker->finder, to)));
	if (!value->of.pointers && value->of.type.kind == TYPE_FLOAT && to->type.kind != TYPE_BOOL)
		return float_cast(maker, value, &to->type);
	if (!value_load(maker, value))
		return false;
	if (to->type.kind == TYPE_BOOL)
		return written_value_unary(maker, value, WRITTEN_NOT) &&
		       written_value_unary(maker, value, WRITTEN_NOT);
	word_cut(&value->at.steps, &to->type);
	become_computed(value, int_type(to->type.size, to->type.is_signed));
	return true;
}

/* The string in an array ends within it. */
static void push_strlen(struct steps *steps, uint64_t array_size)
{
	if (array_size) {
		location_push(
			steps, PLAN_STRNLEN,
			(int64_t)(array_size < PLAN_STRING_MAX ? array_size : PLAN_STRING_MAX));
		return;
	}
	location_push(steps, PLAN_NONNULL, 0);
	location_push(steps, PLAN_STRLEN, 0);
}

bool written_value_strlen(struct written_maker *maker, struct written_value *value)
{
	struct written_type target;
	struct array_shape shape;
	uint64_t array_size = 0;

	if (!written_value_settle(maker, value))
		return false;
	if (array_element(maker, value, &target, &shape))
		array_size = shape.counts[shape.n_dimensions - 1];
	if (!value_load(maker, value) || !target_check(maker, value, &target))
		return false;
	if (target.pointers || target.type.size != 1)
		return written_value_fail(maker, "strlen is of a pointer to characters");
	push_strlen(&value->at.steps, array_size);
	become_computed(value, int_type(8, false));
	return true;
}

/* Narrow integers become int. */
static struct type promoted(const struct type *type)
{
	return type->size < 4 ? int_type(4, true) : int_type(type->size, type->is_signed);
}

static struct type usual_type(const struct type *left, const struct type *right)
{
	const struct type a = promoted(left), b = promoted(right);

	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return int_type(a.size, a.is_signed && b.is_signed);
}

static void push_not(struct steps *steps)
{
	location_push(steps, PLAN_CONST, 0);
	location_push(steps, PLAN_EQUAL, 0);
}

static void become_truth(struct written_value *value)
{
	become_computed(value, (struct type){.kind = TYPE_BOOL, .size = 1});
}

bool written_value_unary(struct written_maker *maker, struct written_value *value,
			 enum written_kind kind)
{
	struct type type;

	if (!value_load(maker, value))
		return false;
	if (kind == WRITTEN_NOT) {
		push_not(&value->at.steps);
		become_truth(value);
		return true;
	}
	if (is_pointer(value))
		return written_value_fail(maker, "a pointer is no number");
	type = promoted(&value->of.type);
	if (kind == WRITTEN_MINUS)
		location_push(&value->at.steps, PLAN_NEG, 0);
	else if (kind == WRITTEN_COMPLEMENT)
		location_push(&value->at.steps, PLAN_NOT, 0);
	word_cut(&value->at.steps, &type);
	become_computed(value, type);
	return true;
}

/* `p + n`, `p - n`: as in C, by elements. */
static bool pointer_move(struct written_maker *maker, struct written_value *left,
			 const struct written_value *right, enum written_kind kind)
{
	struct written_type target;
	uint64_t size;

	if (!target_check(maker, left, &target))
		return false;
	if ((kind != WRITTEN_ADD && kind != WRITTEN_SUBTRACT) || !is_integer(right))
		return written_value_fail(maker, "a pointer is no number");
	if (!type_size(&target, &size))
		return written_value_fail(maker, "what it points to has no size");
	location_push(&left->at.steps, PLAN_NONNULL, 0);
	location_append_steps(&left->at.steps, &right->at.steps);
	location_push(&left->at.steps, PLAN_CONST, (int64_t)(kind == WRITTEN_ADD ? size : -size));
	location_push(&left->at.steps, PLAN_MUL, 0);
	location_push(&left->at.steps, PLAN_PLUS, 0);
	return true;
}

/* Elements between two pointers to one type. */
static bool pointer_distance(struct written_maker *maker, struct written_value *left,
			     const struct written_value *right)
{
	struct written_type from, to;
	uint64_t size, other;

	if (!target_check(maker, left, &from) || !target_check(maker, right, &to))
		return false;
	if (!type_size(&from, &size) || !type_size(&to, &other) || size != other)
		return written_value_fail(maker, "the pointers' types differ");
	location_push(&left->at.steps, PLAN_NONNULL, 0);
	location_append_steps(&left->at.steps, &right->at.steps);
	location_push(&left->at.steps, PLAN_NONNULL, 0);
	location_push(&left->at.steps, PLAN_MINUS, 0);
	location_push(&left->at.steps, PLAN_CONST, (int64_t)size);
	location_push(&left->at.steps, PLAN_DIV, 0);
	become_computed(left, int_type(8, true));
	return true;
}

static bool is_comparison(enum written_kind kind)
{
	return kind >= WRITTEN_LESS && kind <= WRITTEN_UNEQUAL;
}

static void push_comparison(struct steps *steps, enum written_kind kind, bool is_signed)
{
	if (kind == WRITTEN_EQUAL || kind == WRITTEN_UNEQUAL) {
		location_push(steps, PLAN_EQUAL, 0);
	} else {
		if (kind == WRITTEN_GREATER || kind == WRITTEN_LESS_EQUAL)
			location_push(steps, PLAN_SWAP, 0);
		location_push(steps, is_signed ? PLAN_LESS : PLAN_BELOW, 0);
	}
	if (kind == WRITTEN_UNEQUAL || kind == WRITTEN_LESS_EQUAL || kind == WRITTEN_GREATER_EQUAL)
		push_not(steps);
}

/* PLAN_DIV is signed: an unsigned number that it would take for a negative one is absent. */
static void push_bound(struct steps *steps)
{
	location_push(steps, PLAN_CONST, INT64_MAX);
	location_push(steps, PLAN_BOUND, 0);
}

static void push_division(struct steps *steps, const struct type *type)
{
	if (type->size == 8 && !type->is_signed) {
		push_bound(steps);
		location_push(steps, PLAN_SWAP, 0);
		push_bound(steps);
		location_push(steps, PLAN_SWAP, 0);
	}
	location_push(steps, PLAN_DIV, 0);
}

/* a - a / b * b, since PLAN_MOD is unsigned. */
static void push_remainder(struct steps *steps, const struct type *type)
{
	static const struct plan_step remainder[] = {
		{PLAN_PICK, 1}, {PLAN_PICK, 1}, {PLAN_DIV, 0}, {PLAN_MUL, 0}, {PLAN_MINUS, 0}};

	if (!type->is_signed)
		location_push(steps, PLAN_MOD, 0);
	for (size_t i = 0; i < sizeof(remainder) / sizeof(*remainder) && type->is_signed; i++)
		location_push(steps, remainder[i].op, remainder[i].arg);
}

static void push_operation(struct steps *steps, enum written_kind kind, const struct type *type)
{
	static const enum plan_op ops[] = {
		[WRITTEN_MULTIPLY] = PLAN_MUL,   [WRITTEN_ADD] = PLAN_PLUS,
		[WRITTEN_SUBTRACT] = PLAN_MINUS, [WRITTEN_SHIFT_LEFT] = PLAN_SHL,
		[WRITTEN_AND] = PLAN_AND,        [WRITTEN_XOR] = PLAN_XOR,
		[WRITTEN_OR] = PLAN_OR,
	};

	if (kind == WRITTEN_DIVIDE)
		push_division(steps, type);
	else if (kind == WRITTEN_REMAINDER)
		push_remainder(steps, type);
	else if (kind == WRITTEN_SHIFT_RIGHT)
		location_push(steps, type->is_signed ? PLAN_SHRA : PLAN_SHR, 0);
	else
		location_push(steps, ops[kind], 0);
	word_cut(steps, type);
}

static void convert(struct written_value *value, const struct type *to)
{
	if (value->of.type.size <= to->size && value->of.type.is_signed && !to->is_signed)
		word_cut(&value->at.steps, to);
}

static bool integers_combine(struct written_value *left, struct written_value *right,
			     enum written_kind kind)
{
	const bool shifts = kind == WRITTEN_SHIFT_LEFT || kind == WRITTEN_SHIFT_RIGHT;
	const struct type type =
		shifts ? promoted(&left->of.type) : usual_type(&left->of.type, &right->of.type);

	if (!shifts) {
		convert(left, &type);
		convert(right, &type);
	}
	location_append_steps(&left->at.steps, &right->at.steps);
	if (is_comparison(kind)) {
		push_comparison(&left->at.steps, kind, type.is_signed);
		become_truth(left);
		return true;
	}
	push_operation(&left->at.steps, kind, &type);
	become_computed(left, type);
	return true;
}

bool written_value_binary(struct written_maker *maker, struct written_value *left,
			  const struct written_value *right, enum written_kind kind)
{
	struct written_value by = *right;

	if (!value_load(maker, left) || !value_load(maker, &by))
		return false;
	if (is_comparison(kind) && (is_pointer(left) || is_pointer(&by))) {
		location_append_steps(&left->at.steps, &by.at.steps);
		push_comparison(&left->at.steps, kind, false);
		become_truth(left);
		return true;
	}
	if (is_pointer(left))
		return is_pointer(&by) && kind == WRITTEN_SUBTRACT
			       ? pointer_distance(maker, left, &by)
			       : pointer_move(maker, left, &by, kind);
	if (is_pointer(&by))
		return written_value_fail(maker, "a pointer is no number");
	return integers_combine(left, &by, kind);
}
