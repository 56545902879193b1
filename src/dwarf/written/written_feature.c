/* Which feature an expression makes, whose names written_scope.c knows. */
#include "written_feature.h"

#include <string.h>

#include "dwarf/type/scalar.h"
#include "dwarf/feature/feature_visit.h"
#include "written_compile.h"
#include "written_scope.h"

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
		.maker = {.finder = finder, .function = die, .find = written_scope_find},
		.roots = roots};
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
	struct written_roots roots = written_scope_roots(finder);

	finder->full = false;
	for (size_t i = 0; i < limits->n_required; i++)
		if (!feature_search_has(finder, limits->required[i])) {
			const char *why = written_add(finder, &roots, die, limits->required[i]);

			if (limits->why)
				limits->why[i] = why;
		}
	feature_search_deinit(&roots.search);
}
