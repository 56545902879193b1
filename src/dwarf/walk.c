/* The walk over DIEs in which functions can be. What is done with them is left to visitors. */
#include "dwarf/walk.h"

#include "base/text.h"
#include "dwarf/die.h"
#include "dwarf/unit_filter.h"

enum { WALK_DEPTH_MAX = 128, SCOPE_SIZE_MAX = 4096 };

struct walk {
	const struct walk_visitor *visitor;
	struct text scope;
	const void *last; /* the address of the DIE seen last */
	unsigned in_code; /* functions around the DIE */
};

static bool has_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: /* Rust's have methods */
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	}
	return false;
}

/* What stands for a type that is in a type unit may leave the name to that. */
static const char *scope_name(Dwarf_Die *die, int tag)
{
	const char *name = dwarf_diename(die);
	Dwarf_Die type;

	if (name)
		return name;
	if (tag == DW_TAG_namespace)
		return "(anonymous namespace)";
	return die_reference(die, DW_AT_signature, &type) ? dwarf_diename(&type) : NULL;
}

/* Append the name of the scope @die; returns the length before, to go back to. */
static size_t scope_enter(struct text *scope, Dwarf_Die *die)
{
	const size_t before = scope->n;
	const int tag = dwarf_tag(die);
	const char *name;

	if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
	    before > SCOPE_SIZE_MAX)
		return before;
	name = scope_name(die, tag);
	if (before && name)
		text_add_string(scope, "::");
	if (name)
		text_add_string(scope, name);
	return before;
}

static void visit(struct walk *walk, Dwarf_Die *die, int tag)
{
	const struct walk_visitor *visitor = walk->visitor;
	const char *scope = walk->scope.bytes;

	switch (tag) {
	case DW_TAG_subprogram:
		if (visitor->subprogram)
			visitor->subprogram(visitor->self, die, scope);
		break;
	case DW_TAG_inlined_subroutine:
		if (visitor->inlined)
			visitor->inlined(visitor->self, die);
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
		if (visitor->type)
			visitor->type(visitor->self, die, scope, walk->in_code > 0);
		break;
	case DW_TAG_member:
		if (!visitor->variable || walk->in_code || !dwarf_hasattr(die, DW_AT_external))
			break;
		visitor->variable(visitor->self, die, scope);
		break;
	case DW_TAG_variable:
		if (visitor->variable && !walk->in_code)
			visitor->variable(visitor->self, die, scope);
		break;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, unsigned depth);

static void walk_die(struct walk *walk, Dwarf_Die *die, unsigned depth)
{
	const int tag = dwarf_tag(die);
	const bool inlined = tag == DW_TAG_inlined_subroutine && walk->visitor->inlined;
	const bool code = inlined || tag == DW_TAG_subprogram;
	size_t before;

	visit(walk, die, tag);
	if (!dwarf_haschildren(die) || !(inlined || has_functions(tag)) ||
	    (code && walk->visitor->outside))
		return;
	before = scope_enter(&walk->scope, die);
	walk->in_code += code;
	walk_children(walk, die, depth + 1);
	walk->in_code -= code;
	text_cut(&walk->scope, before);
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die child;

	if (depth > WALK_DEPTH_MAX)
		return;
	for (bool more = die_first(parent, &child); more; more = die_next(&child)) {
		/* A broken DW_AT_sibling leads into what was seen already. */
		if ((const void *)child.addr <= walk->last)
			continue;
		walk->last = child.addr;
		walk_die(walk, &child, depth);
	}
}

/* The next type unit of a split file. A package of split files is one for all its units. */
static bool next_split_type(struct unit_cursor *cursor)
{
	Dwarf_Die die, type_die;
	uint8_t type;

	while (cursor->in_split &&
	       dwarf_get_units(cursor->split, cursor->split_unit, &cursor->split_unit, NULL, &type,
			       &die, &type_die) == 0) {
		if (type != DW_UT_type && type != DW_UT_split_type)
			continue;
		cursor->die = die;
		cursor->is_type = true;
		return true;
	}
	cursor->in_split = false;
	return false;
}

static void split_enter(struct unit_cursor *cursor, Dwarf_CU *split_unit)
{
	Dwarf *split = dwarf_cu_getdwarf(split_unit);

	cursor->in_split = split && split != cursor->split;
	cursor->split = split;
	cursor->split_unit = NULL;
}

bool walk_next_unit(const struct image *image, struct unit_cursor *cursor)
{
	Dwarf_Die die, split;
	uint8_t type;

	if (next_split_type(cursor))
		return true;
	while (dwarf_get_units(image->dwarf, cursor->unit, &cursor->unit, NULL, &type, &die,
			       &split) == 0) {
		if (type == DW_UT_skeleton && !split.cu)
			continue;
		if (type == DW_UT_skeleton)
			split_enter(cursor, split.cu);
		cursor->die = type == DW_UT_skeleton ? split : die;
		cursor->is_type = type == DW_UT_type;
		return true;
	}
	return false;
}

void walk_units(const struct image *image, const struct unit_filter *filter,
		const struct walk_visitor *visitor)
{
	struct unit_cursor cursor = {0};

	while (walk_next_unit(image, &cursor)) {
		if (cursor.is_type && !visitor->type)
			continue;
		if (!filter || unit_filter_passes(filter, &cursor.die))
			walk_unit(visitor, &cursor.die);
	}
}

void walk_unit(const struct walk_visitor *visitor, Dwarf_Die *unit)
{
	struct walk walk = {.visitor = visitor, .last = unit->addr};

	text_add_string(&walk.scope, "");
	walk_children(&walk, unit, 0);
	text_deinit(&walk.scope);
}
