/* Arrays of any number of dimensions, in the order of memory. */
#include "arrays.h"

#include <inttypes.h>
#include <string.h>

#include "dwarf/type/widen.h"

enum {
	NUMBERS_MAX = 8, /* elements examined, and written out in a sum */
	OBJECTS_MAX = 4, /* for elements such as structures */
};

/* `m[1][2]`: element @index of the first @n_dimensions dimensions of @shape. */
static const char *element_expression(struct feature_search *finder, const struct node *node,
				      const struct array_shape *shape, unsigned n_dimensions,
				      uint64_t index)
{
	const char *text = "";

	for (unsigned i = n_dimensions; i > 0; i--) {
		text = arena_printf(finder->arena, "[%" PRIu64 "]%s", index % shape->counts[i - 1],
				    text);
		index /= shape->counts[i - 1];
	}
	if (!n_dimensions)
		return node->expression;
	return arena_printf(finder->arena, "%s%s", feature_search_operand(finder, node->expression),
			    text);
}

static struct node element_node(struct feature_search *finder, const struct node *node,
				const struct array_shape *shape, uint64_t index)
{
	struct node element = {
		.expression = element_expression(finder, node, shape, shape->n_dimensions, index),
		.at = node->at,
		.type = shape->element,
		.depth = node->depth + 1,
		.in_union = node->in_union,
		.is_const = node->is_const || node->type.is_const,
	};

	location_part(&element.at, index * shape->element_size, shape->element_size, finder->arena);
	return element;
}

static void elements_push(struct feature_search *finder, const struct node *node,
			  const struct array_shape *shape, uint64_t most)
{
	for (uint64_t i = 0; i < shape->n && i < most; i++) {
		const struct node element = element_node(finder, node, shape, i);

		if (feature_search_claim(finder, element.expression))
			feature_search_push(finder, &element);
	}
}

/* Each row of the last dimension is a string. */
static void strings_emit(struct feature_search *finder, const struct node *node,
			 const struct array_shape *shape)
{
	const unsigned n_outer = shape->n_dimensions - 1;
	const uint64_t size = shape->counts[n_outer];
	const struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};

	for (uint64_t i = 0; i < shape->n / size && i < OBJECTS_MAX; i++) {
		const char *array = element_expression(finder, node, shape, n_outer, i);
		struct steps short_length = {.n = 0};
		struct node length = *node;

		length.expression = arena_printf(finder->arena, "strlen(%s)", array);
		length.depth++;
		location_part(&length.at, i * size, size, finder->arena);
		if (length.at.kind != LOCATION_MEMORY) {
			feature_search_report(finder, &length, ABSENT_UNSUPPORTED,
					      "a character array in a register, which is not read");
			continue;
		}
		length.explanation = arena_printf(finder->arena, "the string %s",
						  location_phrase(&length.at, finder->arena));
		length.object = array;
		feature_search_text(finder, &length.at, &length.text);
		location_push(&length.at.steps, PLAN_STRNLEN,
			      (int64_t)(size < PLAN_STRING_MAX ? size : PLAN_STRING_MAX));
		feature_search_emit(finder, &length, &length.at, FEATURE_INT, plan);
		feature_search_push_length(&short_length, size);
		feature_search_emit_text(finder, &length, &short_length);
	}
}

/* `a[0] + a[1] + a[2]`; of many elements, and of truth values, which gdb does not add, `sum(a)`. */
static const char *sum_expression(struct feature_search *finder, const struct node *node,
				  const struct array_shape *shape)
{
	const char *text = NULL;

	if (shape->n > NUMBERS_MAX || shape->element.kind == TYPE_BOOL)
		return arena_printf(finder->arena, "sum(%s)", node->expression);
	for (uint64_t i = 0; i < shape->n; i++) {
		const char *element =
			element_expression(finder, node, shape, shape->n_dimensions, i);

		text = text ? arena_printf(finder->arena, "%s + %s", text, element) : element;
	}
	return text;
}

static enum plan_result element_result(const struct type *type)
{
	if (type->kind == TYPE_FLOAT)
		return PLAN_FLOAT;
	if (type->kind == TYPE_BOOL)
		return PLAN_BOOL;
	return type->is_signed ? PLAN_SIGNED : PLAN_UNSIGNED;
}

/* Sums of narrower numbers never need the highest bit. */
static enum plan_result sum_result(const struct type *type)
{
	if (type->kind == TYPE_FLOAT)
		return PLAN_FLOAT;
	return type->is_signed || type->size < 8 ? PLAN_SIGNED : PLAN_UNSIGNED;
}

/* Make @at the sum of a few integers that are not in memory. False: not possible. */
static bool sum_words(struct feature_search *finder, const struct array_shape *shape,
		      struct location *at)
{
	const struct location array = *at;

	if (shape->n > NUMBERS_MAX || shape->element.kind != TYPE_INTEGER)
		return false;
	*at = (struct location){.kind = LOCATION_VALUE, .where = LOCATION_COMPUTED};
	for (uint64_t i = 0; i < shape->n; i++) {
		struct location element = array;

		location_part(&element, i * shape->element_size, shape->element_size,
			      finder->arena);
		widen_load(&shape->element, NULL, &element);
		if (element.kind == LOCATION_ABSENT)
			return false;
		location_append_steps(&at->steps, &element.steps);
		if (i > 0)
			location_push(&at->steps, PLAN_PLUS, 0);
	}
	return true;
}

static void sum_emit(struct feature_search *finder, const struct node *node,
		     const struct array_shape *shape)
{
	const bool is_float = shape->element.kind == TYPE_FLOAT;
	const struct plan_array array = {
		.n = (uint32_t)shape->n,
		.size = shape->element.size,
		.element = element_result(&shape->element),
	};
	const struct read_plan plan = {.result = sum_result(&shape->element), .size = 8};
	struct node sum = *node;

	sum.expression = sum_expression(finder, node, shape);
	sum.type = shape->element;
	sum.depth++;
	if (shape->n * shape->element_size > PLAN_ARRAY_MAX) {
		feature_search_report(finder, &sum, ABSENT_TOO_LONG,
				      arena_printf(finder->arena,
						   "an array of %" PRIu64
						   " bytes; no more than %d are summed",
						   shape->n * shape->element_size, PLAN_ARRAY_MAX));
		return;
	}
	if (sum.at.kind == LOCATION_MEMORY) {
		location_push(&sum.at.steps, PLAN_SUM, read_plan_pack_array(&array));
	} else if (!sum_words(finder, shape, &sum.at)) {
		feature_search_report(finder, &sum, ABSENT_UNSUPPORTED,
				      "an array in registers, which is not summed");
		return;
	}
	sum.explanation = arena_printf(
		finder->arena, "the sum of %" PRIu64 " %s%s", shape->n,
		location_phrase(&node->at, finder->arena),
		*node->expression == '*' ? ", of the first if it points to several" : "");
	feature_search_emit(finder, &sum, &sum.at, is_float ? FEATURE_FLOAT : FEATURE_INT, plan);
}

/* The sums of a matrix's first rows; what has few elements has these themselves. */
static void rows_emit(struct feature_search *finder, const struct node *node,
		      const struct array_shape *shape)
{
	struct array_shape row = *shape;
	uint64_t size;

	row.n = shape->n / shape->counts[0];
	row.n_dimensions--;
	memmove(row.counts, shape->counts + 1, row.n_dimensions * sizeof(*row.counts));
	size = row.n * row.element_size;
	for (uint64_t i = 0; i < shape->counts[0] && i < NUMBERS_MAX && row.n > 1; i++) {
		struct node one = *node;

		one.expression = element_expression(finder, node, shape, 1, i);
		location_part(&one.at, i * size, size, finder->arena);
		sum_emit(finder, &one, &row);
	}
}

static void shape_expand(struct feature_search *finder, const struct node *node,
			 const struct array_shape *shape)
{
	switch (shape->element.kind) {
	case TYPE_CHAR:
		strings_emit(finder, node, shape);
		break;
	case TYPE_INTEGER:
	case TYPE_BOOL:
	case TYPE_FLOAT:
		if (shape->n > 1 && shape->element_size == shape->element.size)
			sum_emit(finder, node, shape);
		if (shape->n > NUMBERS_MAX && shape->n_dimensions > 1 &&
		    shape->element_size == shape->element.size)
			rows_emit(finder, node, shape);
		if (shape->n <= NUMBERS_MAX)
			elements_push(finder, node, shape, NUMBERS_MAX);
		break;
	case TYPE_INT128:
	case TYPE_LONG_DOUBLE:
	case TYPE_COMPLEX:
	case TYPE_ENUM:
	case TYPE_POINTER:
	case TYPE_REFERENCE:
		elements_push(finder, node, shape, NUMBERS_MAX);
		break;
	case TYPE_RECORD:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_VECTOR:
		elements_push(finder, node, shape, OBJECTS_MAX);
		break;
	case TYPE_VOID:
	case TYPE_MEMBER_POINTER:
	case TYPE_NULLPTR:
	case TYPE_FUNCTION:
	case TYPE_INCOMPLETE:
	case TYPE_OTHER:
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      arena_printf(finder->arena,
						   "an array of what is %s, which is not read",
						   type_phrase(&shape->element)));
		break;
	}
}

void arrays_expand(struct feature_search *finder, const struct node *node)
{
	struct array_shape shape;

	if (!type_array(&node->type, &shape))
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      "an array whose length the debug information does not say");
	else if (shape.n == 0)
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      "an array without elements");
	else if (shape.element_size == 0)
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      "an array of elements whose size is not known");
	else if (feature_search_step(finder, node,
				     "its elements are deeper than features are looked for"))
		shape_expand(finder, node, &shape);
}
