/* Walks the variables inside of a function. */
#include "cast_types.h"

#include <string.h>

#include "dwarf/class/tags.h"
#include "dwarf/location/die_location.h"
#include "dwarf/type/type_names.h"

enum { NESTING_MAX = 16, DIES_MAX = 4096, MEMBERS_MAX = 8 };

struct cast_search {
	struct feature_search *finder;
	const struct node *parameter;
	struct type declared; /* what the parameter points to by its declaration */
	struct type type;     /* found: a pointer to what `target` names */
	const char *target, *variable;
	unsigned n_dies;
	bool ambiguous;
};

/* Is an object of @base at the very beginning of @type? */
static bool begins_with(struct feature_search *finder, struct type type, const struct type *base)
{
	for (int i = 0; i < MEMBERS_MAX && type.kind == TYPE_RECORD; i++) {
		Dwarf_Die child;
		uint64_t offset = 0;
		bool more = die_first(&type.die, &child);

		while (more && dwarf_tag(&child) != DW_TAG_member)
			more = die_next(&child);
		if (!more || !die_number(&child, DW_AT_data_member_location, &offset) || offset)
			return false;
		type = feature_search_type(finder, &child);
		if (type.kind == base->kind && type.die.addr == base->die.addr)
			return true;
	}
	return false;
}

/* As a cast names it: by its tag, or by the name that it is declared with. */
static const char *cast_name(struct feature_search *finder, Dwarf_Die *pointer,
			     const struct type *target)
{
	const char *declared = tags_declared_name(pointer);
	struct type type = *target;

	if (declared || !dwarf_diename(&type.die))
		return declared;
	if (type_names_is_cplusplus(&type.die))
		return feature_search_qualified(finder, &type.die);
	return arena_printf(finder->arena, "struct %s", dwarf_diename(&type.die));
}

/* @block: whose variable @die is. Without a list of ranges it is there in all of the block. */
static void variable_see(struct cast_search *search, Dwarf_Die *block, Dwarf_Die *die)
{
	struct feature_search *finder = search->finder;
	struct type type, target;
	Dwarf_Attribute attribute;
	struct location at;
	const char *name;

	if (!dwarf_diename(die) || !dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    (!location_is_list(&attribute) && dwarf_haspc(block, finder->frame->addr) != 1))
		return;
	type = feature_search_type(finder, die);
	if (type.kind != TYPE_POINTER)
		return;
	target = feature_search_type(finder, &type.die);
	if (target.kind != TYPE_RECORD ||
	    (search->declared.kind != TYPE_VOID && !begins_with(finder, target, &search->declared)))
		return;
	die_location(die, finder->frame, finder->arena, &at);
	if (at.kind != LOCATION_REGISTER || at.reg != search->parameter->at.reg)
		return;
	name = cast_name(finder, &type.die, &target);
	search->ambiguous |= !name || (search->variable && strcmp(name, search->target) != 0);
	search->variable = dwarf_diename(die);
	search->target = name;
	search->type = type;
}

static void variables_see(struct cast_search *search, Dwarf_Die *block, int nesting, bool inlined)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more; more = die_next(&child)) {
		if (++search->n_dies > DIES_MAX)
			return;
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			if (inlined)
				variable_see(search, block, &child);
			break;
		case DW_TAG_variable:
			variable_see(search, block, &child);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			if (nesting < NESTING_MAX)
				variables_see(search, &child, nesting + 1,
					      dwarf_tag(&child) == DW_TAG_inlined_subroutine);
			break;
		}
	}
}

bool cast_types_find(struct feature_search *finder, Dwarf_Die *die, const struct node *parameter,
		     struct node *ret)
{
	struct cast_search search = {.finder = finder, .parameter = parameter};
	struct type type = parameter->type;

	if (type.kind != TYPE_POINTER || parameter->at.kind != LOCATION_REGISTER)
		return false;
	search.declared = feature_search_type(finder, &type.die);
	if (search.declared.kind != TYPE_VOID && search.declared.kind != TYPE_RECORD)
		return false;
	variables_see(&search, die, 0, false);
	if (!search.variable || search.ambiguous)
		return false;
	*ret = *parameter;
	ret->type = search.type;
	ret->is_cast = true;
	ret->expression =
		arena_printf(finder->arena, "((%s *)%s)", search.target, parameter->expression);
	ret->known_as = arena_printf(finder->arena, "%s takes it for a %s *", search.variable,
				     search.target);
	return true;
}
