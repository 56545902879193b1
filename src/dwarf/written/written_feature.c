/*
 * What the names in a written expression mean, and which feature it makes. written_compile.c
 * compiles it.
 */
#include "written_feature.h"

#include <string.h>

#include "dwarf/location/die_location.h"
#include "dwarf/type/scalar.h"
#include "dwarf/type/type_lookup.h"
#include "dwarf/feature/feature_visit.h"
#include "dwarf/feature/root_variables.h"
#include "written_compile.h"

/* The variables of a function, each kind gathered when it is first needed. */
struct written_roots {
	struct feature_search search;  /* its queue has them */
	size_t n_of[PROVENANCE_COUNT]; /* in the order of the queue */
	bool has_own, has_globals, has_all;
};

struct written_scope {
	struct written_maker maker;
	struct written_roots *roots;
	bool uses[PROVENANCE_COUNT];
};

static bool scope_fail(struct written_scope *scope, const char *name, const char *why)
{
	return written_value_fail(&scope->maker, arena_printf(scope->maker.finder->arena, "%s%s%s",
							      name, *why == ':' ? "" : " ", why));
}

static const struct node *root_find(const struct feature_search *search, size_t from, size_t to,
				    const char *name)
{
	for (size_t i = from; i < to; i++)
		if (search->queue[i].expression && !strcmp(search->queue[i].expression, name))
			return &search->queue[i];
	return NULL;
}

static struct written_value value_of(const struct node *node)
{
	return (struct written_value){
		.of = {.type = node->type}, .at = node->at, .bits = node->bits};
}

/* Parameters, and the returned value. */
static bool own_find(struct written_scope *scope, const char *name, struct written_value *ret)
{
	struct written_roots *roots = scope->roots;
	const struct node *found;

	if (!roots->has_own) {
		root_variables_parameters(&roots->search, scope->maker.function);
		roots->n_of[FROM_PARAMETER] = roots->search.n_queued;
		root_variables_returned(&roots->search, scope->maker.function);
		roots->n_of[FROM_RETURN] = roots->search.n_queued;
		roots->has_own = true;
	}
	found = root_find(&roots->search, 0, roots->n_of[FROM_RETURN], name);
	if (!found)
		return false;
	scope->uses[(size_t)(found - roots->search.queue) < roots->n_of[FROM_PARAMETER]
			    ? FROM_PARAMETER
			    : FROM_RETURN] = true;
	*ret = value_of(found);
	return true;
}

/*
 * A variable of the function's own. Without a list of ranges its place is there before its value
 * is.
 */
static bool local_find(struct written_scope *scope, Dwarf_Die *block, const char *name,
		       bool *ret_exists, struct written_value *ret)
{
	struct feature_search *finder = scope->maker.finder;
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more; more = die_next(&child)) {
		const char *own = dwarf_diename(&child);
		Dwarf_Attribute attribute;

		if (dwarf_tag(&child) != DW_TAG_variable || !own || strcmp(own, name) != 0 ||
		    die_flag(&child, DW_AT_external))
			continue;
		*ret_exists = true;
		if (!dwarf_attr_integrate(&child, DW_AT_location, &attribute) ||
		    !location_is_list(&attribute))
			continue;
		*ret = (struct written_value){.of = {.type = feature_search_type(finder, &child)}};
		die_location(&child, finder->frame, finder->arena, &ret->at);
		scope->uses[FROM_PARAMETER] |= ret->at.kind != LOCATION_ABSENT;
		if (ret->at.kind != LOCATION_ABSENT)
			return true;
	}
	return false;
}

static bool this_find(struct written_scope *scope, const char *name, struct written_value *ret)
{
	const bool used = scope->uses[FROM_PARAMETER];

	if (own_find(scope, "this", ret) && written_value_dereference(&scope->maker, ret) &&
	    written_value_member(&scope->maker, ret, name)) {
		scope->maker.depth++;
		return true;
	}
	scope->uses[FROM_PARAMETER] = used;
	return false;
}

static bool global_find(struct written_scope *scope, const char *name, enum globals which,
			struct written_value *ret)
{
	struct written_roots *roots = scope->roots;
	bool *has = which == GLOBALS_ALL ? &roots->has_all : &roots->has_globals;
	const struct node *found;

	if (!*has)
		root_variables_globals(&roots->search, scope->maker.function, which);
	*has = true;
	found = root_find(&roots->search, roots->n_of[FROM_RETURN], roots->search.n_queued, name);
	if (!found)
		return false;
	scope->uses[FROM_GLOBAL] = true;
	*ret = value_of(found);
	return true;
}

/* A constant of an enumeration of the function's unit. */
static bool enumerator_find(struct written_scope *scope, const char *name,
			    struct written_value *ret)
{
	struct arena *arena = scope->maker.finder->arena;
	Dwarf_Die unit, child;

	if (!dwarf_diecu(scope->maker.function, &unit, NULL, NULL))
		return false;
	for (bool more = die_first(&unit, &child); more; more = die_next(&child)) {
		const struct type type = type_defined(&child);
		const struct label *labels;
		size_t n = 0;

		if (dwarf_tag(&child) == DW_TAG_enumeration_type && type.kind == TYPE_ENUM)
			n = type_labels(&type, arena, &labels);
		for (size_t i = 0; i < n; i++) {
			const struct written number = {
				.number = (uint64_t)labels[i].number, .size = 4, .is_signed = true};

			if (strcmp(labels[i].name, name) != 0)
				continue;
			*ret = written_value_number(&number);
			return true;
		}
	}
	return false;
}

/* In the order in which they hide each other. */
static bool name_find(struct written_maker *maker, const char *name, struct written_value *ret)
{
	struct written_scope *scope = (struct written_scope *)maker; /* its first member */
	bool exists = false;

	if (own_find(scope, name, ret) ||
	    local_find(scope, scope->maker.function, name, &exists, ret)) {
		if (ret->at.kind == LOCATION_ABSENT)
			return scope_fail(
				scope, name,
				arena_printf(scope->maker.finder->arena, ": %s", ret->at.where));
		return true;
	}
	if (global_find(scope, name, GLOBALS_UNIT, ret))
		return true;
	if (exists)
		return scope_fail(scope, name,
				  "is a local variable, which has no value yet when a call begins");
	if (this_find(scope, name, ret) || enumerator_find(scope, name, ret) ||
	    global_find(scope, name, GLOBALS_ALL, ret))
		return true;
	return scope_fail(scope, name, "is no variable that is known here");
}

/* Parameters are read when a call begins, what it returns when it ends. */
static bool provenance_of(struct written_scope *scope, enum provenance *ret)
{
	if (scope->uses[FROM_RETURN] && (scope->uses[FROM_PARAMETER] || scope->uses[FROM_GLOBAL]))
		return written_value_fail(&scope->maker,
					  "what a call returns is not known together with what "
					  "it was called with");
	if (!scope->uses[FROM_RETURN] && !scope->uses[FROM_PARAMETER] && !scope->uses[FROM_GLOBAL])
		return written_value_fail(&scope->maker, "it names no variable");
	*ret = scope->uses[FROM_RETURN]      ? FROM_RETURN
	       : scope->uses[FROM_PARAMETER] ? FROM_PARAMETER
					     : FROM_GLOBAL;
	return true;
}

static bool number_check(struct written_scope *scope, struct written_value *value)
{
	struct written_maker *maker = &scope->maker;

	if (!written_value_settle(maker, value))
		return false;
	if (!value->of.pointers && !value->n_indexed && scalar_is(&value->of.type))
		return true;
	return written_value_fail(
		maker, arena_printf(maker->finder->arena, "it is %s, not a number: %s",
				    written_value_type_name(maker->finder, &value->of),
				    value->of.pointers || value->of.type.kind == TYPE_POINTER
					    ? "compare it with 0, or name what it points to"
					    : "name a part of it"));
}

/* Compile @expression; NULL, or why it is no feature. */
static const char *written_add(struct feature_search *finder, struct written_roots *roots,
			       Dwarf_Die *die, const char *expression)
{
	struct written_scope scope = {
		.maker = {.finder = finder, .function = die, .find = name_find}, .roots = roots};
	const size_t n_before = finder->n_found;
	struct written_value value;
	const struct written *tree;
	struct node node;
	struct err err;

	if (!written_parse(expression, finder->arena, &tree, NULL, &err))
		return arena_strdup(finder->arena, err.text);
	if (!written_compile(&scope.maker, tree, &value) || !number_check(&scope, &value) ||
	    !provenance_of(&scope, &finder->provenance))
		return scope.maker.why;
	node = (struct node){
		.expression = arena_strdup(finder->arena, expression),
		.at = value.at,
		.type = value.of.type,
		.bits = value.bits,
		.depth = scope.maker.depth,
	};
	feature_visit(finder, &node);
	if (finder->n_found == n_before)
		return "the function has too many features";
	if (finder->found[n_before].feature.absence == PRESENT)
		return NULL;
	finder->n_found = n_before;
	return finder->found[n_before].feature.explanation;
}

void written_feature_find(struct feature_search *finder, Dwarf_Die *die)
{
	const struct feature_limits *limits = finder->limits;
	struct feature_limits none = {.max_features = SIZE_MAX};
	struct written_roots roots = {.search = {.arena = finder->arena,
						 .frame = finder->frame,
						 .sources = finder->sources,
						 .limits = &none}};

	finder->full = false;
	for (size_t i = 0; i < limits->n_required; i++)
		if (!feature_search_has(finder, limits->required[i])) {
			const char *why = written_add(finder, &roots, die, limits->required[i]);

			if (limits->why)
				limits->why[i] = why;
		}
	feature_search_deinit(&roots.search);
}
