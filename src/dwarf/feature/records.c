/*
 * Members of one object, as a programmer writes them: plainly if unambiguous, else with casts to
 * their base. dwarf/type/members.c locates members.
 */
#include "records.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "range_pairs.h"

enum { CONTAINER_BASES_MAX = 4 };

/* State while one object's members are visited. */
struct pushing {
	struct feature_search *finder;
	const struct record_view *view;
};

static bool member_push(void *self, const struct member *member)
{
	const struct pushing *pushing = self;
	const struct node *owner = pushing->view->node;
	const struct node node = {
		.name = member->name,
		.base = member->base,
		.at = member->at,
		.type = member->type,
		.bits = member->bits,
		.depth = owner->depth + 1,
		.in_union = member->in_union || owner->in_union || owner->type.kind == TYPE_UNION,
		.is_const = pushing->view->is_const,
		.is_shadow = member->is_skipped,
		.is_part = owner->is_part,
	};

	return strlen(member->name) > FINDER_NAME_MAX ||
	       feature_search_push(pushing->finder, &node);
}

static bool base_skips(void *self, Dwarf_Die *base, const struct location *at)
{
	const struct record_view *view = ((struct pushing *)self)->view;

	return view->skips && view->skips(view->self, base, at);
}

/* Groups equal names. */
static int record_by_name(const void *a, const void *b)
{
	const struct node *const *x = a;
	const struct node *const *y = b;
	const int order = strcmp((*x)->name, (*y)->name);

	return order ? order : (*x > *y) - (*x < *y);
}

static bool record_is_within(const struct base_path *path, const struct base_path *outer)
{
	while (path && path != outer)
		path = path->up;
	return path == outer;
}

/* Does the name alone mean the member @group[@i]? It must hide all others of that name. */
static bool record_is_plain(struct node *const *group, size_t n, size_t i)
{
	const struct base_path *base = group[i]->base;

	for (size_t k = 0; base && k < n; k++)
		if (k != i && (group[k]->base == base || !record_is_within(group[k]->base, base)))
			return false;
	return true;
}

/* Does the object contain another base of the same class? */
static bool is_repeated(struct node *const *group, size_t n, const struct base_path *base)
{
	for (size_t i = 0; i < n; i++)
		for (const struct base_path *at = group[i]->base; at; at = at->up)
			if (at != base && at->die.addr == base->die.addr)
				return true;
	return false;
}

static const char *cast(struct feature_search *finder, const struct record_view *view,
			const struct base_path *base, const char *pointer)
{
	Dwarf_Die die = base->die;
	const char *name = feature_search_qualified(finder, &die);

	return arena_printf(finder->arena, "static_cast<%s%s *>(%s)",
			    view->is_const ? "const " : "", name ? name : "?", pointer);
}

/* A repeated base is unambiguous only by a cast per level. */
static const char *cast_all(struct feature_search *finder, const struct record_view *view,
			    const struct base_path *base, const char *pointer)
{
	if (base->up)
		pointer = cast_all(finder, view, base->up, pointer);
	return cast(finder, view, base, pointer);
}

static const char *member_expression(struct feature_search *finder, const struct record_view *view,
				     struct node *const *group, size_t n, size_t i)
{
	const struct base_path *base = group[i]->base;
	const bool is_pointer = view->operand == OPERAND_POINTER;
	const char *pointer;

	if (record_is_plain(group, n, i))
		return arena_printf(finder->arena, "%s%s%s",
				    feature_search_operand(finder, view->expression),
				    is_pointer ? "->" : ".", group[i]->name);
	/* Cast a pointer: gdb 13 reads a cast of the object itself from a wrong address. */
	pointer = arena_printf(finder->arena, "%s%s", is_pointer ? "" : "&", view->expression);
	pointer = is_repeated(group, n, base) ? cast_all(finder, view, base, pointer)
					      : cast(finder, view, base, pointer);
	return arena_printf(finder->arena, "%s->%s", pointer, group[i]->name);
}

/* Set the expressions of members with one name. */
static void group_name(struct feature_search *finder, const struct record_view *view,
		       struct node **group, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *expression;

		if (group[i]->is_shadow)
			continue;
		expression = member_expression(finder, view, group, n, i);
		if (feature_search_claim(finder, expression))
			group[i]->expression = expression;
	}
}

/* Set the expressions of the last @n members pushed. */
static void members_name(struct feature_search *finder, const struct record_view *view, size_t n)
{
	struct node *members = finder->queue + finder->n_queued - n;
	struct node **sorted = mem_alloc(n * sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = &members[i];
	qsort(sorted, n, sizeof(*sorted), record_by_name);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(sorted[end]->name, sorted[i]->name);)
			end++;
		group_name(finder, view, sorted + i, end - i);
	}
	free(sorted);
}

/* Drop members that served only to take their names. */
static void shadows_drop(struct feature_search *finder, size_t first)
{
	size_t n = first;

	for (size_t i = first; i < finder->n_queued; i++)
		if (!finder->queue[i].is_shadow)
			finder->queue[n++] = finder->queue[i];
	finder->n_queued = n;
}

bool records_push(struct feature_search *finder, const struct record_view *view)
{
	const size_t first = finder->n_queued;
	struct pushing pushing = {finder, view};
	const struct member_visitor visitor = {
		.frame = finder->frame,
		.arena = finder->arena,
		.definitions = finder->sources->definitions,
		.each = member_push,
		.skips = base_skips,
		.self = &pushing,
	};

	members_each(&visitor, view->record, view->at);
	if (finder->n_queued == first)
		return false;
	members_name(finder, view, finder->n_queued - first);
	shadows_drop(finder, first);
	range_pairs_emit(finder, first);
	return true;
}

/* The bases of an object that are containers. */
struct container_bases {
	struct feature_search *finder;
	const struct node *node;
	enum operand operand;
	Dwarf_Die list[CONTAINER_BASES_MAX];
	unsigned n;
};

/* Its words are the object's own: `bag.size()`. */
static bool container_base_push(void *self, Dwarf_Die *base, const struct location *at)
{
	struct container_bases *bases = self;
	struct node node = *bases->node;

	if (bases->n == CONTAINER_BASES_MAX)
		return false;
	node.type = (struct type){.kind = TYPE_RECORD, .die = *base};
	node.at = *at;
	if (!bases->finder->container(bases->finder, &node, bases->operand))
		return false;
	bases->list[bases->n++] = *base;
	return true;
}

static bool member_pass(void *self, const struct member *member)
{
	(void)self;
	(void)member;
	return true;
}

static bool base_is_container(void *self, Dwarf_Die *base, const struct location *at)
{
	const struct container_bases *bases = self;

	(void)at;
	for (unsigned i = 0; i < bases->n; i++)
		if (bases->list[i].addr == base->addr)
			return true;
	return false;
}

void records_expand(struct feature_search *finder, const struct node *node, enum operand operand)
{
	struct type type = node->type;
	struct container_bases bases = {finder, node, operand, .n = 0};
	struct node inner = *node;
	const struct member_visitor visitor = {
		.frame = finder->frame,
		.arena = finder->arena,
		.definitions = finder->sources->definitions,
		.each = member_pass,
		.skips = container_base_push,
		.self = &bases,
	};
	struct record_view view = {
		.node = node,
		.expression = node->expression,
		.operand = operand,
		.at = &node->at,
		.record = &type.die,
		.is_const = node->is_const || type.is_const,
		.skips = base_is_container,
		.self = &bases,
	};

	if (finder->container && node->depth < finder->limits->max_depth)
		members_each(&visitor, &type.die, &node->at);
	if (!records_push(finder, &view) && !bases.n && node->depth == 0 &&
	    operand == OPERAND_OBJECT)
		feature_search_report(
			finder, node, ABSENT_UNSUPPORTED,
			arena_printf(finder->arena, "%s without members", type_phrase(&type)));
	if (!bases.n || !feature_search_leads_there(finder, node->expression))
		return;
	inner.depth = finder->limits->max_depth; /* somebody names internals */
	view.node = &inner;
	view.skips = NULL;
	records_push(finder, &view);
}
