/*
 * Features, breadth first. Types are sorted out by type.c and members by members.c; expressions of
 * locations are location.c's.
 */
#include "dwarf/features.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "dwarf/members.h"
#include "dwarf/type.h"

enum {
	NODES_MAX = 1 << 14, /* looked at for one function */
	PARAMETERS_MAX = 256,
	NAME_SIZE_MAX = 256,
	REFERENCES_MAX = 8, /* in a row; C++ has none */
};

/* Something with a location and a type, not yet looked at. */
struct node {
	const char *expression;
	struct location at;
	struct type type;
	struct member_bits bits;
	unsigned depth;
	unsigned parameter; /* index: where it was reached from */
};

/* A parameter, and what became of it. */
struct root {
	const char *name;
	Dwarf_Off origin; /* of its abstract DIE; 0: it has none */
	enum feature_type type;
	size_t n_found;
	enum absence absence; /* why nothing was found */
	const char *why;
};

struct seen {
	const char *expression;
	UT_hash_handle hh;
};

struct finder {
	struct arena *arena;
	const struct frame *frame;
	const struct feature_limits *limits;
	struct node *queue;
	size_t n_queued, queue_capacity, next;
	size_t n_steps; /* nodes ever made */
	struct root *roots;
	size_t n_roots;
	struct feature *features;
	size_t n_features, features_capacity, cut;
	struct seen *seen;
};

static bool seen_add(struct finder *finder, const char *expression)
{
	struct seen *found;

	HASH_FIND_STR(finder->seen, expression, found);
	if (found)
		return false;
	found = arena_new(finder->arena, struct seen);
	found->expression = expression;
	HASH_ADD_KEYPTR(hh, finder->seen, expression, strlen(expression), found);
	return true;
}

/* Remember the first reason why nothing is found behind a parameter. */
static void explain(struct finder *finder, const struct node *node, enum absence absence,
		    const char *why)
{
	struct root *root = &finder->roots[node->parameter];

	if (root->why)
		return;
	root->absence = absence;
	root->why = why;
}

static void feature_append(struct finder *finder, const struct feature *feature)
{
	if (finder->n_features >= finder->limits->max_features) {
		finder->cut++;
		return;
	}
	finder->features = mem_grow(finder->features, &finder->features_capacity,
				    finder->n_features + 1, sizeof(*finder->features));
	finder->features[finder->n_features++] = *feature;
}

static enum plan_result result_of(const struct type *type)
{
	if (type->kind == TYPE_FLOAT)
		return PLAN_FLOAT;
	if (type->kind == TYPE_BOOL)
		return PLAN_BOOL;
	return type->is_signed ? PLAN_SIGNED : PLAN_UNSIGNED;
}

/* Append the feature whose value @at's steps leave on the stack. */
static void value_emit(struct finder *finder, const struct node *node, const struct location *at,
		       struct read_plan plan, enum feature_type type, const char *explanation)
{
	struct feature feature = {
		.expression = node->expression,
		.type = type,
		.provenance = FROM_PARAMETER,
		.depth = node->depth,
		.explanation = explanation,
	};
	struct err err;

	plan.steps = at->steps.step;
	plan.n_steps = at->steps.n;
	if (at->steps.overflow || !read_plan_verify(&plan, &err)) {
		explain(finder, node, ABSENT_UNSUPPORTED, "its location is too long an expression");
		return;
	}
	plan.steps = arena_copy(finder->arena, plan.steps, plan.n_steps * sizeof(*plan.steps));
	feature.plan = plan;
	finder->roots[node->parameter].n_found++;
	feature_append(finder, &feature);
}

static void scalar_emit(struct finder *finder, const struct node *node)
{
	const struct read_plan plan = {.result = result_of(&node->type), .size = node->type.size};
	const char *explanation = location_phrase(&node->at, finder->arena);
	struct location at = node->at;

	if (node->bits.n_bits)
		member_bits_load(&node->bits, node->type.is_signed, &at.steps);
	else
		location_load(&at, node->type.size);
	value_emit(finder, node, &at, plan, type_feature(&node->type), explanation);
}

static void string_emit(struct finder *finder, const struct node *node)
{
	const struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};
	struct node length = *node;

	length.expression = arena_printf(finder->arena, "strlen(%s)", node->expression);
	length.depth++;
	if (length.depth > finder->limits->max_depth) {
		explain(finder, node, ABSENT_UNSUPPORTED,
			"a string, deeper than features are looked for");
		return;
	}
	location_dereference(&length.at, finder->arena);
	steps_push(&length.at.steps, PLAN_STRLEN, 0);
	value_emit(finder, &length, &length.at, plan, FEATURE_INT,
		   arena_printf(finder->arena, "the string %s",
				location_phrase(&length.at, finder->arena)));
}

static void node_push(struct finder *finder, const struct node *node)
{
	if (++finder->n_steps > NODES_MAX)
		return;
	finder->queue = mem_grow(finder->queue, &finder->queue_capacity, finder->n_queued + 1,
				 sizeof(*finder->queue));
	finder->queue[finder->n_queued++] = *node;
}

/* What members_each() is told while the members of one node are gone through. */
struct owner {
	struct finder *finder;
	const struct node *node;
	const char *expression; /* of the object, or of the pointer to it */
	bool pointer;
};

/* `p->m` or `o.m`; a name that a derived class hides needs a cast. NULL: it cannot be written. */
static const char *member_expression(const struct owner *owner, const struct member *member)
{
	struct arena *arena = owner->finder->arena;
	const char *object = *owner->expression == '*'
				     ? arena_printf(arena, "(%s)", owner->expression)
				     : owner->expression;
	const char *text =
		arena_printf(arena, "%s%s%s", object, owner->pointer ? "->" : ".", member->name);

	if (seen_add(owner->finder, text))
		return text;
	if (!member->base)
		return NULL;
	text = arena_printf(arena, "static_cast<%s %c>(%s)%s%s", member->base,
			    owner->pointer ? '*' : '&', owner->expression,
			    owner->pointer ? "->" : ".", member->name);
	return seen_add(owner->finder, text) ? text : NULL;
}

static bool member_push(void *self, const struct member *member)
{
	struct owner *owner = self;
	struct finder *finder = owner->finder;
	Dwarf_Die die = member->die;
	struct node node = {
		.at = member->at,
		.type = type_of(&die),
		.bits = member->bits,
		.depth = owner->node->depth + 1,
		.parameter = owner->node->parameter,
	};

	if (strlen(member->name) <= NAME_SIZE_MAX)
		node.expression = member_expression(owner, member);
	if (node.expression)
		node_push(finder, &node);
	return finder->n_steps < NODES_MAX;
}

static void record_expand(struct finder *finder, const struct node *node, Dwarf_Die *record,
			  bool pointer)
{
	struct owner owner = {finder, node, node->expression, pointer};
	struct location at = node->at;

	if (node->depth >= finder->limits->max_depth) {
		explain(finder, node, ABSENT_UNSUPPORTED,
			"its members are deeper than features are looked for");
		return;
	}
	if (pointer)
		location_dereference(&at, finder->arena);
	if (at.kind != LOCATION_MEMORY) {
		explain(finder, node, ABSENT_UNSUPPORTED,
			"a structure in a register, which is not supported");
		return;
	}
	members_each(record, &at, finder->frame, finder->arena, member_push, &owner);
	explain(finder, node, ABSENT_UNSUPPORTED, "a structure without members that can be read");
}

static void target_push(struct finder *finder, const struct node *pointer,
			const struct type *target)
{
	struct node node = *pointer;

	if (pointer->depth >= finder->limits->max_depth) {
		explain(finder, pointer, ABSENT_UNSUPPORTED,
			"a pointer to something deeper than features are looked for");
		return;
	}
	node.expression = arena_printf(finder->arena, "*%s", pointer->expression);
	node.type = *target;
	node.depth++;
	location_dereference(&node.at, finder->arena);
	if (seen_add(finder, node.expression))
		node_push(finder, &node);
}

static void pointer_visit(struct finder *finder, struct node *node)
{
	struct type target = type_of(&node->type.die);

	switch (target.kind) {
	case TYPE_CHAR:
		string_emit(finder, node);
		break;
	case TYPE_RECORD:
		record_expand(finder, node, &target.die, true);
		break;
	case TYPE_INTEGER:
	case TYPE_BOOL:
	case TYPE_FLOAT:
	case TYPE_ENUM:
	case TYPE_POINTER:
		target_push(finder, node, &target);
		break;
	case TYPE_INCOMPLETE:
		explain(finder, node, ABSENT_UNSUPPORTED,
			"a pointer: its target type is incomplete");
		break;
	case TYPE_VOID:
	case TYPE_REFERENCE:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_FUNCTION:
	case TYPE_OTHER:
		explain(finder, node, ABSENT_UNSUPPORTED,
			arena_printf(finder->arena,
				     "a pointer: its target is %s, which is not read",
				     type_phrase(&target)));
		break;
	}
}

/* A reference reads as what it refers to, under the same name. */
static bool reference_follow(struct finder *finder, struct node *node)
{
	for (int i = 0; node->type.kind == TYPE_REFERENCE; i++) {
		if (i == REFERENCES_MAX)
			return false;
		node->type = type_of(&node->type.die);
		location_dereference(&node->at, finder->arena);
	}
	return true;
}

static void node_visit(struct finder *finder, struct node *node)
{
	if (!reference_follow(finder, node))
		return;
	switch (node->type.kind) {
	case TYPE_INTEGER:
	case TYPE_BOOL:
	case TYPE_FLOAT:
	case TYPE_ENUM:
	case TYPE_CHAR:
		scalar_emit(finder, node);
		break;
	case TYPE_POINTER:
		pointer_visit(finder, node);
		break;
	case TYPE_RECORD:
		record_expand(finder, node, &node->type.die, false);
		break;
	case TYPE_VOID:
	case TYPE_REFERENCE:
	case TYPE_UNION:
	case TYPE_ARRAY:
	case TYPE_FUNCTION:
	case TYPE_INCOMPLETE:
	case TYPE_OTHER:
		explain(finder, node, ABSENT_UNSUPPORTED,
			arena_printf(finder->arena, "%s, which is not read",
				     type_phrase(&node->type)));
		break;
	}
}

/* clang gives all parameters of a pack one name. */
static const char *unique_name(const struct finder *finder, const char *name)
{
	for (size_t i = 0; i + 1 < finder->n_roots; i++)
		if (!strcmp(finder->roots[i].name, name))
			return arena_printf(finder->arena, "%s#%zu", name, finder->n_roots);
	return arena_strdup(finder->arena, name);
}

static Dwarf_Off origin_of(Dwarf_Die *die)
{
	Dwarf_Die origin;

	return die_reference(die, DW_AT_abstract_origin, &origin) ? dwarf_dieoffset(&origin) : 0;
}

/* gcc describes a parameter that it split in a clone twice. */
static bool is_known(const struct finder *finder, Dwarf_Off origin)
{
	for (size_t i = 0; i < finder->n_roots && origin; i++)
		if (finder->roots[i].origin == origin)
			return true;
	return false;
}

static void parameter_push(struct finder *finder, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	struct node node = {.type = type_of(die), .parameter = (unsigned)finder->n_roots};
	struct root *root = &finder->roots[finder->n_roots];
	struct type pointee = node.type;

	if (die_flag(die, DW_AT_artificial) && (!name || strcmp(name, "this") != 0))
		return; /* the compiler's own, like __in_chrg */
	if (is_known(finder, origin_of(die)))
		return;
	root->origin = origin_of(die);
	for (int i = 0; pointee.kind == TYPE_REFERENCE && i < REFERENCES_MAX; i++)
		pointee = type_of(&pointee.die);
	finder->n_roots++;
	root->type = type_feature(&pointee);
	if (!name || !*name || strlen(name) > NAME_SIZE_MAX) {
		root->name = arena_printf(finder->arena, "<parameter %zu>", finder->n_roots);
		root->absence = ABSENT_UNSUPPORTED;
		root->why = "it has no name";
		return;
	}
	root->name = node.expression = unique_name(finder, name);
	location_of(die, finder->frame, finder->arena, &node.at);
	if (node.at.kind == LOCATION_ABSENT)
		explain(finder, &node, node.at.absence, node.at.where);
	else if (seen_add(finder, node.expression))
		node_push(finder, &node);
}

static void parameters_push(struct finder *finder, Dwarf_Die *parent, int nesting)
{
	Dwarf_Die child;

	for (bool more = die_first(parent, &child); more; more = die_next(&child)) {
		if (finder->n_roots == PARAMETERS_MAX)
			return;
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			parameter_push(finder, &child);
		else if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack && nesting == 0)
			parameters_push(finder, &child, 1);
	}
}

/* Parameters that yielded nothing are told of, so that users see why. */
static void failures_append(struct finder *finder)
{
	for (size_t i = 0; i < finder->n_roots; i++) {
		const struct root *root = &finder->roots[i];
		struct feature feature = {
			.expression = root->name,
			.type = root->type,
			.provenance = FROM_PARAMETER,
			.absence = root->why ? root->absence : ABSENT_UNSUPPORTED,
			.explanation = root->why ? root->why : "nothing behind it can be read",
		};

		if (!root->n_found)
			feature_append(finder, &feature);
	}
}

/* Depth by depth, in the order of the parameters; insertion keeps what is equal in its order. */
static void features_sort(struct feature *features, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct feature feature = features[i];
		size_t k = i;

		for (; k > 0 && features[k - 1].depth > feature.depth; k--)
			features[k] = features[k - 1];
		features[k] = feature;
	}
}

void features_find(Dwarf_Die *die, const struct frame *frame, const struct feature_sources *sources,
		   const struct feature_limits *limits, struct arena *arena, struct function *ret)
{
	struct root roots[PARAMETERS_MAX] = {0};
	struct finder finder = {.arena = arena, .frame = frame, .limits = limits, .roots = roots};

	(void)sources;
	parameters_push(&finder, die, 0);
	while (finder.next < finder.n_queued) {
		struct node node = finder.queue[finder.next++]; /* the queue may move */

		node_visit(&finder, &node);
	}
	failures_append(&finder);
	features_sort(finder.features, finder.n_features);
	ret->features = finder.n_features ? arena_copy(arena, finder.features,
						       finder.n_features * sizeof(*finder.features))
					  : NULL;
	ret->n_features = finder.n_features;
	ret->features_cut = finder.cut;
	HASH_CLEAR(hh, finder.seen);
	free(finder.queue);
	free(finder.features);
}
