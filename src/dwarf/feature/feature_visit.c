/*
 * The features of numbers, pointers and strings. Arrays, structures and run-time classes have files
 * of their own.
 */
#include "feature_visit.h"

#include <string.h>

#include "arrays.h"
#include "records.h"
#include "run_time_class.h"
#include "dwarf/type/scalar.h"
#include "dwarf/type/type_names.h"

static void scalar_emit(struct feature_search *finder, const struct node *node)
{
	struct read_plan shape = {.steps = NULL};
	struct location at = node->at;

	if (node->bits.n_bits) {
		shape.result = node->type.kind == TYPE_BOOL ? PLAN_BOOL
			       : node->type.is_signed       ? PLAN_SIGNED
							    : PLAN_UNSIGNED;
		shape.size = node->type.size;
		members_load_bits(&node->bits, node->type.is_signed, &at);
	} else {
		scalar_load(&node->type, &at, finder->arena, &shape); /* else it is absent */
	}
	feature_search_emit(finder, node, &at, type_feature(&node->type), shape);
}

/* Named by gdb's functions for the parts. */
static void complex_emit(struct feature_search *finder, const struct node *node)
{
	static const char *const functions[] = {"$_creal", "$_cimag"};

	for (unsigned i = 0; i < 2; i++) {
		struct node part = *node;

		part.type = type_complex_part(&node->type);
		part.expression =
			arena_printf(finder->arena, "%s(%s)", functions[i], node->expression);
		location_part(&part.at, (uint64_t)i * part.type.size, part.type.size,
			      finder->arena);
		scalar_emit(finder, &part);
	}
}

static void string_emit(struct feature_search *finder, const struct node *node)
{
	const struct read_plan shape = {.result = PLAN_UNSIGNED, .size = 8};
	struct steps short_length = {.n = 0};
	struct node length = *node;

	if (!feature_search_step(finder, node, NULL))
		return;
	length.expression = arena_printf(finder->arena, "strlen(%s)", node->expression);
	length.depth++;
	location_dereference(&length.at, finder->arena);
	length.object = node->expression;
	feature_search_text(finder, &length.at, &length.text);
	length.explanation = arena_printf(finder->arena, "the string %s",
					  location_phrase(&length.at, finder->arena));
	location_push(&length.at.steps, PLAN_STRLEN, 0);
	feature_search_emit(finder, &length, &length.at, FEATURE_INT, shape);
	feature_search_push_length(&short_length, UINT64_MAX);
	feature_search_emit_text(finder, &length, &short_length);
}

static bool is_constant(const struct location *at)
{
	return at->kind == LOCATION_VALUE && at->steps.n == 1 && at->steps.step[0].op == PLAN_CONST;
}

/* Skip the lookup of definitions that would not be entered anyway. */
static bool is_last(const struct feature_search *finder, const struct node *node)
{
	return !feature_search_goes_on(finder, node);
}

/* clang omits classes that another unit or library is to describe, such as std::string. */
static const char *incomplete_hint(const struct type *type)
{
	Dwarf_Die die = type->die, unit;
	Dwarf_Attribute attribute;
	const char *producer = NULL;

	if (type_names_is_cplusplus(&die) && dwarf_diecu(&die, &unit, NULL, NULL) &&
	    dwarf_attr(&unit, DW_AT_producer, &attribute))
		producer = dwarf_formstring(&attribute);
	return producer && strstr(producer, "clang")
		       ? " (clang describes more with -fstandalone-debug)"
		       : "";
}

/* Why only the null test of a pointer is known; NULL: more is known. */
static const char *why_only_null(struct feature_search *finder, const struct node *node,
				 const struct type *target)
{
	switch (target->kind) {
	case TYPE_INCOMPLETE:
		if (is_last(finder, node))
			return NULL;
		feature_search_leave_out(finder, node, ABSENT_INCOMPLETE);
		return arena_printf(finder->arena,
				    "its target type is incomplete: no debug "
				    "information that is here defines it%s",
				    incomplete_hint(target));
	case TYPE_VOID:
	case TYPE_FUNCTION:
	case TYPE_REFERENCE:
	case TYPE_MEMBER_POINTER:
	case TYPE_NULLPTR:
	case TYPE_OTHER:
		return arena_printf(finder->arena, "its target is %s, which is not read",
				    type_phrase(target));
	case TYPE_INTEGER:
	case TYPE_INT128:
	case TYPE_BOOL:
	case TYPE_FLOAT:
	case TYPE_LONG_DOUBLE:
	case TYPE_COMPLEX:
	case TYPE_ENUM:
	case TYPE_CHAR:
	case TYPE_POINTER:
	case TYPE_RECORD:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_VECTOR:
		break;
	}
	return NULL;
}

static void nullness_emit(struct feature_search *finder, const struct node *node,
			  const struct type *target)
{
	const char *why = node->known_as ? node->known_as : why_only_null(finder, node, target);
	const struct read_plan shape = {.result = PLAN_BOOL, .size = 8};
	const char *where = location_phrase(&node->at, finder->arena);
	struct node bit = *node;
	struct location at = node->at;

	if (node->is_cast)
		return;
	if (node->is_this || is_constant(&at)) {
		if (why)
			feature_search_report(finder, node, ABSENT_UNSUPPORTED,
					      arena_printf(finder->arena, "a pointer: %s", why));
		return;
	}
	bit.expression = arena_printf(finder->arena, "%s != 0", node->expression);
	location_load(&at, 8);
	bit.explanation = why ? arena_printf(finder->arena, "%s; %s", where, why) : where;
	feature_search_emit(finder, &bit, &at, FEATURE_BOOL, shape);
}

static void target_push(struct feature_search *finder, const struct node *pointer,
			const struct type *target)
{
	struct node node = {
		.expression = arena_printf(finder->arena, "*%s", pointer->expression),
		.type = *target,
		.at = pointer->at,
		.depth = pointer->depth + 1,
		.in_union = pointer->in_union,
	};

	if (!feature_search_step(finder, pointer, NULL))
		return;
	location_dereference(&node.at, finder->arena);
	if (feature_search_claim(finder, node.expression))
		feature_search_push(finder, &node);
}

/*
 * Locks, semaphores, jmp_buf and other types of the C library of which users know no member: all
 * have names that are kept for it. Those of C++ libraries (`__r` of a duration) and of what a
 * lambda has captured are values.
 */
static bool is_opaque(const struct type *type)
{
	Dwarf_Die die = type->die, child;
	const char *file = dwarf_decl_file(&die);
	bool found = false;

	if (!file || strncmp(file, "/usr/include/", 13) != 0 || strstr(file, "/c++/") ||
	    dwarf_child(&die, &child) != 0)
		return false;
	do {
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) != DW_TAG_member)
			continue;
		if (!name || strncmp(name, "__", 2) != 0)
			return false;
		found = true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return found;
}

/*
 * Is it a container, or opaque? Its members are beyond the limits then: only required features come
 * to them.
 */
static bool container_visit(struct feature_search *finder, const struct node *node,
			    enum operand operand)
{
	struct node inner = *node;

	if (!finder->container ||
	    (!finder->container(finder, node, operand) && !is_opaque(&node->type)))
		return false;
	if (inner.depth < finder->limits->max_depth)
		inner.depth = finder->limits->max_depth;
	if (feature_search_leads_there(finder, node->expression))
		records_expand(finder, &inner, operand);
	return true;
}

static void record_target(struct feature_search *finder, const struct node *pointer,
			  const struct type *target)
{
	struct node node = *pointer;

	if (!feature_search_step(finder, pointer, NULL))
		return;
	location_dereference(&node.at, finder->arena);
	node.type = *target;
	node.is_const = false; /* const was the pointer's */
	if (container_visit(finder, &node, OPERAND_POINTER))
		return;
	run_time_class_emit(finder, &node, OPERAND_POINTER);
	records_expand(finder, &node, OPERAND_POINTER);
	run_time_class_expand(finder, &node, OPERAND_POINTER);
}

static void pointer_visit(struct feature_search *finder, const struct node *node)
{
	struct type type = node->type;
	struct type target =
		is_last(finder, node) ? type_of(&type.die) : feature_search_type(finder, &type.die);

	nullness_emit(finder, node, &target);
	if (node->is_part && target.kind != TYPE_CHAR)
		return;
	switch (target.kind) {
	case TYPE_CHAR:
		string_emit(finder, node);
		break;
	case TYPE_RECORD:
	case TYPE_UNION:
		record_target(finder, node, &target);
		break;
	case TYPE_INTEGER:
	case TYPE_INT128:
	case TYPE_BOOL:
	case TYPE_FLOAT:
	case TYPE_LONG_DOUBLE:
	case TYPE_COMPLEX:
	case TYPE_ENUM:
	case TYPE_POINTER:
	case TYPE_ARRAY:
	case TYPE_VECTOR:
		target_push(finder, node, &target);
		break;
	case TYPE_VOID:
	case TYPE_REFERENCE:
	case TYPE_MEMBER_POINTER:
	case TYPE_NULLPTR:
	case TYPE_FUNCTION:
	case TYPE_OTHER:
		break;
	case TYPE_INCOMPLETE:
		if (is_last(finder, node))
			feature_search_step(finder, node, NULL); /* counts it */
		break;
	}
}

static void record_visit(struct feature_search *finder, const struct node *node)
{
	if (container_visit(finder, node, OPERAND_OBJECT))
		return;
	if (!feature_search_step(finder, node,
				 "its members are deeper than features are looked for"))
		return;
	if (node->is_reference)
		run_time_class_emit(finder, node, OPERAND_OBJECT);
	records_expand(finder, node, OPERAND_OBJECT);
	if (node->is_reference)
		run_time_class_expand(finder, node, OPERAND_OBJECT);
}

static void node_dispatch(struct feature_search *finder, const struct node *node)
{
	switch (node->type.kind) {
	case TYPE_INTEGER:
	case TYPE_INT128:
	case TYPE_BOOL:
	case TYPE_FLOAT:
	case TYPE_LONG_DOUBLE:
	case TYPE_ENUM:
	case TYPE_CHAR:
		scalar_emit(finder, node);
		break;
	case TYPE_COMPLEX:
		complex_emit(finder, node);
		break;
	case TYPE_POINTER:
		pointer_visit(finder, node);
		break;
	case TYPE_RECORD:
	case TYPE_UNION:
		record_visit(finder, node);
		break;
	case TYPE_ARRAY:
	case TYPE_VECTOR:
		arrays_expand(finder, node);
		break;
	case TYPE_VOID:
	case TYPE_REFERENCE:
	case TYPE_MEMBER_POINTER:
	case TYPE_NULLPTR:
	case TYPE_FUNCTION:
	case TYPE_INCOMPLETE:
	case TYPE_OTHER:
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      arena_printf(finder->arena, "%s, which is not read%s",
						   type_phrase(&node->type),
						   node->type.kind == TYPE_INCOMPLETE
							   ? incomplete_hint(&node->type)
							   : ""));
		break;
	}
}

void feature_visit(struct feature_search *finder, struct node *node)
{
	const bool endless = !feature_search_references(finder, node);

	if (node->type.kind == TYPE_POINTER && node->at.kind == LOCATION_PIECES)
		location_part(&node->at, 0, 8, finder->arena);
	if (node->at.kind == LOCATION_ABSENT)
		feature_search_report(finder, node, node->at.absence, node->at.where);
	else if (endless)
		feature_search_report(finder, node, ABSENT_UNSUPPORTED,
				      "a reference to a reference");
	else
		node_dispatch(finder, node);
}
