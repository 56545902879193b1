/*
 * Integers are on the stack as 64 bits, extended by their sign, and cut to their type's size behind
 * each operation; the usual conversions are C23's, 6.3.1.
 */
#include "written_operator.h"

#include "core/plan/plan_runner.h"
#include "dwarf/type/type_lookup.h"

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

/* Pointers to a class and to its base differ by where the base is. */
static bool pointer_cast(struct written_maker *maker, struct written_value *value,
			 const struct written_type *to)
{
	struct written_type from_target, to_target;
	const struct function_features *sources = maker->finder->sources;
	const struct type_lookup lookup = {sources->image, sources->definitions, sources->names};
	uint64_t offset = 0;
	bool up, down;

	if (!written_value_points_to(maker->finder, &value->of, &from_target) ||
	    !written_value_points_to(maker->finder, to, &to_target) || from_target.pointers ||
	    to_target.pointers)
		return true;
	up = type_lookup_base(&lookup, &from_target.type, &to_target.type, &offset);
	down = !up && type_lookup_base(&lookup, &to_target.type, &from_target.type, &offset);
	if (!offset || !(up || down))
		return true;
	if (!written_value_load(maker, value))
		return false;
	location_push(&value->at.steps, PLAN_NONNULL, 0);
	location_push(&value->at.steps, PLAN_ADD, (int64_t)(up ? offset : 0 - offset));
	return true;
}

static bool is_float_value(const struct written_value *value)
{
	return !value->of.pointers && value->of.type.kind == TYPE_FLOAT;
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
	written_value_compute(value, *to);
	return true;
}

static enum plan_format float_format(uint64_t size)
{
	return size == 4 ? PLAN_FORMAT_FLOAT : PLAN_FORMAT_DOUBLE;
}

/* The bits of a double of any number; integers are rounded to a float of @size bytes first. */
static bool double_load(struct written_maker *maker, struct written_value *value, unsigned size)
{
	const bool is_float = is_float_value(value);
	enum plan_format from = float_format(value->of.type.size);

	if (is_float)
		location_load(&value->at, (unsigned)value->of.type.size);
	else if (!written_value_load(maker, value))
		return false;
	if (value->at.kind == LOCATION_ABSENT)
		return written_value_fail(maker, value->at.where);
	if (!is_float && written_value_is_pointer(value))
		return written_value_fail(maker, "a pointer is no number");
	if (!is_float) {
		location_push(&value->at.steps, PLAN_CONVERT,
			      plan_convert_pack(value->of.type.is_signed ? PLAN_FORMAT_SIGNED
									 : PLAN_FORMAT_UNSIGNED,
						float_format(size)));
		from = float_format(size);
	}
	location_push(&value->at.steps, PLAN_CONVERT, plan_convert_pack(from, PLAN_FORMAT_DOUBLE));
	return true;
}

/* The steps leave a double, which is to be a float of @size bytes. */
static void become_float(struct written_value *value, unsigned size)
{
	location_push(&value->at.steps, PLAN_CONVERT,
		      plan_convert_pack(PLAN_FORMAT_DOUBLE, float_format(size)));
	written_value_compute(value,
			      (struct type){.kind = TYPE_FLOAT, .size = size, .is_signed = true});
}

bool written_operator_cast(struct written_maker *maker, struct written_value *value,
			   const struct written_type *to)
{
	struct written_value target = {.of = *to};

	if (!written_value_settle(maker, value))
		return false;
	if (written_value_is_pointer(&target)) {
		if (!written_value_is_pointer(value) && !written_value_load(maker, value))
			return false;
		if (!pointer_cast(maker, value, to))
			return false;
		value->of = *to;
		return true;
	}
	if (!to->pointers && to->type.kind == TYPE_FLOAT) {
		if (!double_load(maker, value, (unsigned)to->type.size))
			return false;
		become_float(value, (unsigned)to->type.size);
		return true;
	}
	if (!written_value_is_integer(&target) || to->type.kind == TYPE_ENUM)
		return written_value_fail(
			maker, arena_printf(maker->finder->arena, "a cast to %s is not read",
					    written_value_type_name(maker->finder, to)));
	if (is_float_value(value) && to->type.kind != TYPE_BOOL)
		return float_cast(maker, value, &to->type);
	if (!written_value_load(maker, value))
		return false;
	if (to->type.kind == TYPE_BOOL)
		return written_operator_unary(maker, value, WRITTEN_NOT) &&
		       written_operator_unary(maker, value, WRITTEN_NOT);
	word_cut(&value->at.steps, &to->type);
	written_value_compute(value, written_value_integer(to->type.size, to->type.is_signed));
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

bool written_operator_strlen(struct written_maker *maker, struct written_value *value)
{
	struct written_type target;
	struct array_shape shape;
	uint64_t array_size = 0;

	if (!written_value_settle(maker, value))
		return false;
	if (written_value_element(maker, value, &target, &shape))
		array_size = shape.counts[shape.n_dimensions - 1];
	if (!written_value_load(maker, value) || !written_value_target(maker, value, &target))
		return false;
	if (target.pointers || target.type.size != 1)
		return written_value_fail(maker, "strlen is of a pointer to characters");
	push_strlen(&value->at.steps, array_size);
	written_value_compute(value, written_value_integer(8, false));
	return true;
}

/* Narrow integers become int. */
static struct type promoted(const struct type *type)
{
	return type->size < 4 ? written_value_integer(4, true)
			      : written_value_integer(type->size, type->is_signed);
}

static struct type usual_type(const struct type *left, const struct type *right)
{
	const struct type a = promoted(left), b = promoted(right);

	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return written_value_integer(a.size, a.is_signed && b.is_signed);
}

static void push_not(struct steps *steps)
{
	location_push(steps, PLAN_CONST, 0);
	location_push(steps, PLAN_EQUAL, 0);
}

static void become_truth(struct written_value *value)
{
	written_value_compute(value, (struct type){.kind = TYPE_BOOL, .size = 1});
}

bool written_operator_unary(struct written_maker *maker, struct written_value *value,
			    enum written_kind kind)
{
	struct type type;

	if (!written_value_load(maker, value))
		return false;
	if (kind == WRITTEN_NOT) {
		push_not(&value->at.steps);
		become_truth(value);
		return true;
	}
	if (written_value_is_pointer(value))
		return written_value_fail(maker, "a pointer is no number");
	type = promoted(&value->of.type);
	if (kind == WRITTEN_MINUS)
		location_push(&value->at.steps, PLAN_NEG, 0);
	else if (kind == WRITTEN_COMPLEMENT)
		location_push(&value->at.steps, PLAN_NOT, 0);
	word_cut(&value->at.steps, &type);
	written_value_compute(value, type);
	return true;
}

/* `p + n`, `p - n`: as in C, by elements. */
static bool pointer_move(struct written_maker *maker, struct written_value *left,
			 const struct written_value *right, enum written_kind kind)
{
	struct written_type target;
	uint64_t size;

	if (!written_value_target(maker, left, &target))
		return false;
	if ((kind != WRITTEN_ADD && kind != WRITTEN_SUBTRACT) || !written_value_is_integer(right))
		return written_value_fail(maker, "a pointer is no number");
	if (!written_value_size(&target, &size))
		return written_value_fail(maker, "what it points to has no size");
	location_push(&left->at.steps, PLAN_NONNULL, 0);
	location_append_steps(&left->at.steps, &right->at.steps);
	location_push(&left->at.steps, PLAN_CONST, (int64_t)(kind == WRITTEN_ADD ? size : -size));
	location_push(&left->at.steps, PLAN_MUL, 0);
	location_push(&left->at.steps, PLAN_PLUS, 0);
	return true;
}

/* Elements between two pointers to one type; an empty container's may be null. */
static bool pointer_distance(struct written_maker *maker, struct written_value *left,
			     const struct written_value *right)
{
	struct written_type from, to;
	uint64_t size, other;

	if (!written_value_target(maker, left, &from) || !written_value_target(maker, right, &to))
		return false;
	if (!written_value_size(&from, &size) || !written_value_size(&to, &other) || size != other)
		return written_value_fail(maker, "the pointers' types differ");
	if (!maker->container)
		location_push(&left->at.steps, PLAN_NONNULL, 0);
	location_append_steps(&left->at.steps, &right->at.steps);
	if (!maker->container)
		location_push(&left->at.steps, PLAN_NONNULL, 0);
	location_push(&left->at.steps, PLAN_MINUS, 0);
	location_push(&left->at.steps, PLAN_CONST, (int64_t)size);
	location_push(&left->at.steps, PLAN_DIV, 0);
	written_value_compute(left, written_value_integer(8, true));
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

/* Numbers of which one is a float at least; a float of 4 bytes loses nothing by way of doubles. */
static bool floats_combine(struct written_maker *maker, struct written_value *left,
			   struct written_value *right, char sign)
{
	const unsigned size = (is_float_value(left) && left->of.type.size == 8) ||
					      (is_float_value(right) && right->of.type.size == 8)
				      ? 8
				      : 4;

	if (!double_load(maker, left, size) || !double_load(maker, right, size))
		return false;
	location_append_steps(&left->at.steps, &right->at.steps);
	location_push(&left->at.steps, PLAN_DOUBLE, sign);
	become_float(left, size);
	return true;
}

static bool is_constant(const struct written_value *value)
{
	return value->at.kind == LOCATION_VALUE && value->at.steps.n == 1 &&
	       value->at.steps.step[0].op == PLAN_CONST;
}

/* Steps without the program's memory or registers are run now: a plan has few. */
static void constant_fold(struct steps *steps)
{
	const struct read_plan plan = {steps->step, steps->n, PLAN_UNSIGNED, 8}, *list = &plan;
	struct plan_runner *runner = plan_runner_create();
	struct word word;

	plan_runner_run_words(runner, &list, 1, &(struct plan_context){.load_bias = 0}, &word);
	plan_runner_destroy(runner);
	if (word.absence != PRESENT)
		return;
	steps->n = 0;
	location_push(steps, PLAN_CONST, (int64_t)word.bits);
}

static bool integers_combine(struct written_value *left, struct written_value *right,
			     enum written_kind kind)
{
	const bool is_folded = is_constant(left) && is_constant(right);
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
	} else {
		push_operation(&left->at.steps, kind, &type);
		written_value_compute(left, type);
	}
	if (is_folded)
		constant_fold(&left->at.steps);
	return true;
}

bool written_operator_binary(struct written_maker *maker, struct written_value *left,
			     const struct written_value *right, enum written_kind kind)
{
	static const char signs[] = {[WRITTEN_MULTIPLY] = '*',
				     [WRITTEN_DIVIDE] = '/',
				     [WRITTEN_ADD] = '+',
				     [WRITTEN_SUBTRACT] = '-'};
	struct written_value by = *right;

	if (!written_value_settle(maker, left) || !written_value_settle(maker, &by))
		return false;
	if ((is_float_value(left) || is_float_value(&by)) && kind < sizeof(signs) && signs[kind])
		return floats_combine(maker, left, &by, signs[kind]);
	if (!written_value_load(maker, left) || !written_value_load(maker, &by))
		return false;
	if (is_comparison(kind) &&
	    (written_value_is_pointer(left) || written_value_is_pointer(&by))) {
		location_append_steps(&left->at.steps, &by.at.steps);
		push_comparison(&left->at.steps, kind, false);
		become_truth(left);
		return true;
	}
	if (written_value_is_pointer(left))
		return written_value_is_pointer(&by) && kind == WRITTEN_SUBTRACT
			       ? pointer_distance(maker, left, &by)
			       : pointer_move(maker, left, &by, kind);
	if (written_value_is_pointer(&by))
		return written_value_fail(maker, "a pointer is no number");
	return integers_combine(left, &by, kind);
}
