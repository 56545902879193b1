/*
 * Walks over the DIEs that can contain functions, types and variables. Visitors decide what to do
 * with them.
 */
#include "die_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "dwarf/file/die.h"
#include "unit_filter.h"

enum { WALK_DEPTH_MAX = 128, SCOPE_SIZE_MAX = 4096 };

/* A function's declaration in a class or namespace: its definition may be elsewhere. */
struct declaration {
	const void *die; /* address */
	size_t scope;    /* offset in the walk's scopes */
};

struct walk {
	const struct walk_visitor *visitor;
	struct text scope;
	struct text scopes; /* of declarations, each with a zero byte */
	size_t last_scope;
	struct declaration *declarations; /* sorted, since offsets of DIEs grow */
	size_t n_declarations, capacity;
	const void *last; /* the address of the DIE seen last */
	unsigned in_code; /* nesting depth in functions */
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
	case DW_TAG_enumeration_type: /* Rust's may have methods */
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	}
	return false;
}

/* A stub for a type in a type unit may leave its name to that unit. */
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

/* Append the name of the scope @die; returns the previous length, for going back. */
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

static void declaration_add(struct walk *walk, Dwarf_Die *die)
{
	const char *scope = walk->scope.bytes;
	struct declaration declaration = {die->addr, walk->last_scope};

	if (!walk->scopes.n || strcmp(walk->scopes.bytes + walk->last_scope, scope) != 0) {
		declaration.scope = walk->last_scope = walk->scopes.n;
		text_add(&walk->scopes, scope, walk->scope.n + 1);
	}
	walk->declarations = mem_grow(walk->declarations, &walk->capacity, walk->n_declarations + 1,
				      sizeof(declaration));
	walk->declarations[walk->n_declarations++] = declaration;
}

static int declaration_order(const void *a, const void *b)
{
	const char *x = ((const struct declaration *)a)->die,
		   *y = ((const struct declaration *)b)->die;

	return x < y ? -1 : x > y;
}

/* The declaration's scope of a function that is defined elsewhere. */
static const char *declared_scope(const struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const struct declaration *found;
	Dwarf_Die other;
	struct declaration key;

	if (!dwarf_attr_integrate(die, DW_AT_specification, &attribute) ||
	    !dwarf_formref_die(&attribute, &other) || !walk->n_declarations)
		return walk->scope.bytes;
	key.die = other.addr;
	found = bsearch(&key, walk->declarations, walk->n_declarations, sizeof(key),
			declaration_order);
	return found ? walk->scopes.bytes + found->scope : walk->scope.bytes;
}

static void subprogram_visit(struct walk *walk, Dwarf_Die *die)
{
	const struct walk_visitor *visitor = walk->visitor;

	if (walk->scope.n == 0)
		visitor->subprogram(visitor->self, die, declared_scope(walk, die));
	else
		visitor->subprogram(visitor->self, die, walk->scope.bytes);
	if (walk->scope.n > 0 && dwarf_hasattr(die, DW_AT_declaration))
		declaration_add(walk, die);
}

static void walk_visit(struct walk *walk, Dwarf_Die *die, int tag)
{
	const struct walk_visitor *visitor = walk->visitor;
	const char *scope = walk->scope.bytes;

	switch (tag) {
	case DW_TAG_subprogram:
		if (visitor->subprogram)
			subprogram_visit(walk, die);
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

static bool enters(const struct walk *walk, Dwarf_Die *die)
{
	const struct walk_visitor *visitor = walk->visitor;

	return !visitor->enters || visitor->enters(visitor->self, die);
}

static void walk_children(struct walk *walk, Dwarf_Die *parent, unsigned depth);

static void walk_die(struct walk *walk, Dwarf_Die *die, unsigned depth)
{
	const int tag = dwarf_tag(die);
	const bool inlined = tag == DW_TAG_inlined_subroutine && walk->visitor->inlined;
	const bool code = inlined || tag == DW_TAG_subprogram;
	size_t before;

	walk_visit(walk, die, tag);
	if (!dwarf_haschildren(die) || !(inlined || has_functions(tag)) ||
	    (code && walk->visitor->outside) || !enters(walk, die))
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
		/* A broken DW_AT_sibling leads back to DIEs already seen. */
		if ((const void *)child.addr <= walk->last)
			continue;
		walk->last = child.addr;
		walk_die(walk, &child, depth);
	}
}

/* A unit with a malformed header has no DIE. */
static bool has_die(Dwarf_Die *die)
{
	return die->cu && dwarf_tag(die) != DW_TAG_invalid;
}

/* The next type unit of a split file. All units of a package (.dwp) share one file. */
static bool next_split_type(struct unit_cursor *cursor)
{
	Dwarf_Die die, type_die;
	uint8_t type;

	while (cursor->in_split &&
	       dwarf_get_units(cursor->split, cursor->split_unit, &cursor->split_unit, NULL, &type,
			       &die, &type_die) == 0) {
		if ((type != DW_UT_type && type != DW_UT_split_type) || !has_die(&die))
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

static bool next_of(Dwarf *dwarf, struct unit_cursor *cursor)
{
	Dwarf_Die die, split;
	uint8_t type;

	if (next_split_type(cursor))
		return true;
	while (dwarf_get_units(dwarf, cursor->unit, &cursor->unit, NULL, &type, &die, &split) ==
	       0) {
		if (type == DW_UT_skeleton && !split.cu)
			continue;
		if (type == DW_UT_skeleton)
			split_enter(cursor, split.cu);
		cursor->die = type == DW_UT_skeleton ? split : die;
		cursor->is_type = type == DW_UT_type;
		if (has_die(&cursor->die))
			return true;
	}
	return false;
}

/* dwz moves what several files share to a separate file. */
bool die_walk_next_unit(const struct elf_file *image, struct unit_cursor *cursor)
{
	if (!image->dwarf)
		return false;
	if (!cursor->alternate && next_of(image->dwarf, cursor))
		return true;
	if (!cursor->alternate) {
		cursor->alternate = dwarf_getalt(image->dwarf);
		cursor->unit = NULL;
	}
	return cursor->alternate && next_of(cursor->alternate, cursor);
}

void die_walk_units(const struct elf_file *image, const struct unit_filter *filter,
		    const struct walk_visitor *visitor)
{
	struct unit_cursor cursor = {0};

	while (die_walk_next_unit(image, &cursor)) {
		if (cursor.is_type && !visitor->type)
			continue;
		if (!filter || unit_filter_passes(filter, &cursor.die))
			die_walk_unit(visitor, &cursor.die);
	}
}

void die_walk_unit(const struct walk_visitor *visitor, Dwarf_Die *unit)
{
	struct walk walk = {.visitor = visitor, .last = unit->addr};

	text_add_string(&walk.scope, "");
	walk_children(&walk, unit, 0);
	text_deinit(&walk.scope);
	text_deinit(&walk.scopes);
	free(walk.declarations);
}
