/* Loads one-word numbers by location_load(), two-word numbers by their halves. */
#include "scalar.h"

bool scalar_is(const struct type *type)
{
	return type_is_scalar(type) || type->kind == TYPE_INT128 || type->kind == TYPE_LONG_DOUBLE;
}

static enum plan_result result_of(const struct type *type)
{
	switch (type->kind) {
	case TYPE_FLOAT:
	case TYPE_LONG_DOUBLE:
	case TYPE_INT128:
		return PLAN_FLOAT;
	case TYPE_BOOL:
		return PLAN_BOOL;
	case TYPE_VOID:
	case TYPE_INTEGER:
	case TYPE_COMPLEX:
	case TYPE_ENUM:
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
	return type->is_signed ? PLAN_SIGNED : PLAN_UNSIGNED;
}

/* Append to @at's steps the load of @size bytes at @offset of @object. */
static bool part_append(struct location *at, const struct location *object, uint64_t offset,
			unsigned size, struct arena *arena)
{
	struct location part = *object;

	location_part(&part, offset, size, arena);
	if (part.kind == LOCATION_ABSENT) {
		*at = part;
		return false;
	}
	location_load(&part, size);
	location_append_steps(&at->steps, &part.steps);
	return true;
}

/* Load the low word, the high one (2 bytes of a long double), and combine them. */
static bool wide_load(const struct type *type, struct location *at, struct arena *arena)
{
	const bool is_float = type->kind == TYPE_LONG_DOUBLE;
	const struct location object = *at;

	at->steps = (struct steps){.n = 0};
	at->kind = LOCATION_VALUE;
	if (!part_append(at, &object, 0, 8, arena) ||
	    !part_append(at, &object, 8, is_float ? 2 : 8, arena))
		return false;
	location_push(&at->steps, is_float ? PLAN_X87 : PLAN_INT128, !is_float && type->is_signed);
	return true;
}

bool scalar_load(const struct type *type, struct location *at, struct arena *arena,
		 struct read_plan *ret)
{
	const bool wide = type->kind == TYPE_INT128 || type->kind == TYPE_LONG_DOUBLE;

	if (!wide && at->kind == LOCATION_PIECES)
		location_part(at, 0, type->size, arena);
	if (at->kind == LOCATION_ABSENT)
		return false;
	if (!wide)
		location_load(at, type->size);
	else if (!wide_load(type, at, arena))
		return false;
	if (at->steps.overflow) {
		location_absent(at, ABSENT_UNSUPPORTED, "its location is too long an expression");
		return false;
	}
	*ret = (struct read_plan){.result = result_of(type), .size = wide ? 8 : type->size};
	return true;
}
