/* What the names in a written expression mean. */
#include "written_scope.h"

#include <string.h>

#include "dwarf/location/die_location.h"
#include "dwarf/type/type_lookup.h"
#include "dwarf/feature/root_variables.h"

enum { FRAME_REGISTERS = 17, BLOCKS_NESTING_MAX = 64 };

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

static struct written_value scope_value_of(const struct node *node)
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
	*ret = scope_value_of(found);
	return true;
}

/* The registers that a frame has. */
static bool register_find(const char *name, struct written_value *ret)
{
	static const struct {
		const char *name;
		unsigned reg;
	} others[] = {{"pc", 16}, {"sp", 7}, {"fp", 6}, {"rip", 16}};
	unsigned reg = 0;

	while (reg < FRAME_REGISTERS &&
	       (!location_register_name(reg) || strcmp(location_register_name(reg), name) != 0))
		reg++;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i].name, name))
			reg = others[i].reg;
	*ret = (struct written_value){
		.of = {.type = written_value_integer(8, true)},
		.at = {.kind = LOCATION_REGISTER, .reg = reg},
	};
	if (reg == 16 || reg == 7 || reg == 6)
		ret->of = (struct written_type){.type = {.kind = TYPE_VOID}, .pointers = 1};
	return reg < FRAME_REGISTERS;
}

/* The variable @name of the innermost block around @addr that has one. */
static bool visible_find(Dwarf_Die *block, uint64_t addr, const char *name, unsigned depth,
			 Dwarf_Die *ret)
{
	bool found = false;
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more; more = die_next(&child)) {
		const int tag = dwarf_tag(&child);
		const char *own = tag == DW_TAG_variable ? dwarf_diename(&child) : NULL;
		Dwarf_Die inner;

		if (own && !strcmp(own, name) && !die_flag(&child, DW_AT_external) && !found) {
			*ret = child;
			found = true;
		}
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block) &&
		    depth < BLOCKS_NESTING_MAX && dwarf_haspc(&child, addr) > 0 &&
		    visible_find(&child, addr, name, depth + 1, &inner)) {
			*ret = inner;
			return true;
		}
	}
	return found;
}

/* What is visible in the middle of a function, and hides parameters. */
static bool frame_find(struct written_scope *scope, const char *name, struct written_value *ret)
{
	struct feature_search *finder = scope->maker.finder;
	Dwarf_Die die;

	if (*name == '$')
		return register_find(name + 1, ret);
	if (!visible_find(scope->maker.function, scope->addr, name, 0, &die))
		return false;
	*ret = (struct written_value){.of = {.type = feature_search_type(finder, &die)}};
	die_location(&die, finder->frame, finder->arena, &ret->at);
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
	*ret = scope_value_of(found);
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

struct written_roots written_scope_roots(const struct feature_search *finder)
{
	static const struct feature_limits none = {.max_features = SIZE_MAX};

	return (struct written_roots){.search = {.arena = finder->arena,
						 .frame = finder->frame,
						 .sources = finder->sources,
						 .limits = &none}};
}

/* In the order in which they hide each other. */
bool written_scope_find(struct written_maker *maker, const char *name, struct written_value *ret)
{
	struct written_scope *scope = (struct written_scope *)maker; /* its first member */
	bool exists = false;

	if ((scope->addr && frame_find(scope, name, ret)) || own_find(scope, name, ret) ||
	    (!scope->addr && local_find(scope, scope->maker.function, name, &exists, ret))) {
		if (ret->at.kind == LOCATION_ABSENT && !scope->addr)
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
