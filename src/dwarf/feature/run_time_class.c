/*
 * Features of derived classes. dwarf/class/classes.c knows the classes.
 *
 * Source: Itanium C++ ABI, section 2.5.2: two words before a vtable's address point is the offset
 * to the start of the complete object.
 */
#include "run_time_class.h"

enum { DERIVED_MAX = 32, TAGGED_MAX = 12, OFFSET_TO_TOP = -16 };

static bool is_dynamic(const struct feature_search *finder, const struct node *node)
{
	struct type type = node->type;

	return !finder->full && finder->sources->classes && type.kind == TYPE_RECORD &&
	       node->at.kind == LOCATION_MEMORY &&
	       classes_is_dynamic(finder->sources->classes, &type.die);
}

/* The tag that objects have where @node points to; NULL: none. */
static const struct tag_base *find_tag(const struct feature_search *finder, const struct node *node,
				       enum operand operand)
{
	struct type type = node->type;

	return !finder->full && finder->sources->classes && type.kind == TYPE_RECORD &&
			       operand == OPERAND_POINTER && node->at.kind == LOCATION_MEMORY
		       ? classes_tag(finder->sources->classes, &type.die)
		       : NULL;
}

/* As the pointer to the tag, which is shown by its name. */
static void tag_emit(struct feature_search *finder, const struct node *node,
		     const struct tag_base *tag)
{
	const struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};
	struct node class = *node;

	class.expression =
		arena_printf(finder->arena, "%s->%s",
			     feature_search_operand(finder, node->expression), tag->path);
	class.depth++;
	class.explanation = arena_printf(finder->arena, "what the object %s is, by its tag",
					 location_phrase(&node->at, finder->arena));
	location_add(&class.at, tag->offset);
	location_load(&class.at, 8);
	location_push(&class.at.steps, PLAN_CLASS, 0);
	feature_search_emit(finder, &class, &class.at, FEATURE_CLASS, plan);
}

void run_time_class_emit(struct feature_search *finder, const struct node *node,
			 enum operand operand)
{
	const struct read_plan plan = {.result = PLAN_UNSIGNED, .size = 8};
	const struct tag_base *tag = find_tag(finder, node, operand);
	struct node class = *node;

	if (tag)
		tag_emit(finder, node, tag);
	if (!is_dynamic(finder, node))
		return;
	class.expression = arena_printf(finder->arena, "typeid(%s%s)",
					operand == OPERAND_POINTER ? "*" : "", node->expression);
	class.depth++;
	location_load(&class.at, 8);
	location_push(&class.at.steps, PLAN_CLASS, 0);
	class.explanation = arena_printf(finder->arena, "the class of the object %s",
					 location_phrase(&node->at, finder->arena));
	feature_search_emit(finder, &class, &class.at, FEATURE_CLASS, plan);
}

/* Move @ret from an object that is a @derived to the start of the derived object. */
static void derived_locate(const struct derived_class *derived, struct arena *arena,
			   struct location *at)
{
	const struct plan_step steps[] = {
		{PLAN_DUP, 0},  {PLAN_LOAD, 8},
		{PLAN_DUP, 0},  {PLAN_CAST, (int64_t)derived->cast},
		{PLAN_SWAP, 0}, {PLAN_ADD, OFFSET_TO_TOP},
		{PLAN_LOAD, 8}, {PLAN_PLUS, 0},
		{PLAN_PLUS, 0},
	};
	const char *phrase = location_phrase(at, arena);

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		location_push(&at->steps, steps[i].op, steps[i].arg);
	at->where = arena_printf(arena, "(%s %s)", derived->name, phrase);
	at->offset = 0;
}

/* Context of the question whether a base's members are already covered. */
struct covering {
	struct classes *classes;
	Dwarf_Die record;
};

static bool base_covered(void *self, Dwarf_Die *base, const struct location *at)
{
	struct covering *covering = self;

	(void)at;
	return classes_covers(covering->classes, &covering->record, base);
}

/*
 * The members of the structures that begin with @node's, where the tag says so. Only of what a
 * variable points to: programs with tags have hundreds of structures, each of which points to more.
 */
static void tag_expand(struct feature_search *finder, const struct node *node,
		       const struct tag_base *tag)
{
	struct type type = node->type;
	struct derived_class derived[TAGGED_MAX];
	const size_t n = classes_tagged(finder->sources->classes, &type.die, TAGGED_MAX, derived);

	for (size_t i = 0; i < n && feature_search_has_room(finder); i++) {
		const struct plan_step steps[] = {
			{PLAN_DUP, 0},  {PLAN_ADD, tag->offset},
			{PLAN_LOAD, 8}, {PLAN_CAST, (int64_t)derived[i].cast},
			{PLAN_PLUS, 0},
		};
		struct location at = node->at;
		const struct record_view view = {
			.node = node,
			.expression = arena_printf(finder->arena, "((%s *)%s)", derived[i].name,
						   node->expression),
			.operand = OPERAND_POINTER,
			.at = &at,
			.record = &derived[i].die,
			.is_const = node->is_const || type.is_const,
		};
		const char *path, *where = location_phrase(&at, finder->arena);

		/* What it begins with is there already. */
		if (tags_begins(&derived[i].die, &type.die, finder->arena, &path))
			feature_search_claim(finder, arena_printf(finder->arena, "%s->%s",
								  view.expression, path));
		for (size_t k = 0; k < sizeof(steps) / sizeof(*steps); k++)
			location_push(&at.steps, steps[k].op, steps[k].arg);
		at.where = arena_printf(finder->arena, "(%s %s)", derived[i].name, where);
		at.offset = 0;
		records_push(finder, &view);
	}
}

void run_time_class_expand(struct feature_search *finder, const struct node *node,
			   enum operand operand)
{
	const struct tag_base *tag = find_tag(finder, node, operand);
	struct covering covering = {finder->sources->classes, node->type.die};
	const bool is_const = node->is_const || node->type.is_const;
	const struct derived_class *derived;
	size_t n;

	if (tag && !node->depth)
		tag_expand(finder, node, tag);
	if (!is_dynamic(finder, node))
		return;
	n = classes_derived(covering.classes, &covering.record, &derived);
	for (size_t i = 0; i < n && i < DERIVED_MAX && feature_search_has_room(finder); i++) {
		Dwarf_Die record = derived[i].die;
		struct location at = node->at;
		const struct record_view view = {
			.node = node,
			.expression = arena_printf(finder->arena, "dynamic_cast<%s%s %c>(%s)",
						   is_const ? "const " : "", derived[i].name,
						   operand == OPERAND_POINTER ? '*' : '&',
						   node->expression),
			.operand = operand,
			.at = &at,
			.record = &record,
			.is_const = is_const,
			.skips = base_covered,
			.self = &covering,
		};

		derived_locate(&derived[i], finder->arena, &at);
		records_push(finder, &view);
	}
}
