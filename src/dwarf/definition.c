/*
 * The search for definitions of types, over units that can have them. What is found is remembered
 * by name, and so is what is not.
 */
#include "dwarf/definition.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "dwarf/type_names.h"
#include "dwarf/unit_filter.h"
#include "dwarf/walk.h"

/* An answer; the key is the kind of the type, and its name. */
struct answer {
	bool found;
	Dwarf_Die die;
	UT_hash_handle hh;
};

struct definitions {
	const struct image *image;
	struct arena *arena;
	struct type_names *names;
	struct answer *answers;
};

struct search {
	struct definitions *definitions;
	const char *plain; /* DW_AT_name */
	const char *name;
	char kind;
	bool local; /* those of functions too */
	bool found, differs;
	Dwarf_Die die;
};

struct definitions *definitions_create(const struct image *image)
{
	struct definitions *definitions = mem_alloc(sizeof(*definitions));

	definitions->image = image;
	definitions->arena = arena_create();
	definitions->names = type_names_create();
	return definitions;
}

void definitions_destroy(struct definitions *definitions)
{
	if (!definitions)
		return;
	HASH_CLEAR(hh, definitions->answers);
	type_names_destroy(definitions->names);
	arena_destroy(definitions->arena);
	free(definitions);
}

/* Structures and classes are alike: a class may be declared as a structure. */
static char kind_of(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		return 's';
	case DW_TAG_union_type:
		return 'u';
	case DW_TAG_enumeration_type:
		return 'e';
	}
	return '\0';
}

/* Do both come from the same place in the source? */
static bool is_same_definition(Dwarf_Die *a, Dwarf_Die *b)
{
	static const unsigned attributes[] = {DW_AT_byte_size, DW_AT_decl_line};
	const char *file_a = die_file(a, DW_AT_decl_file), *file_b = die_file(b, DW_AT_decl_file);

	for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		uint64_t x = 0, y = 0;

		die_number(a, attributes[i], &x);
		die_number(b, attributes[i], &y);
		if (x != y)
			return false;
	}
	return !file_a || !file_b || !strcmp(basename(file_a), basename(file_b));
}

static void type_visit(void *self, Dwarf_Die *die, const char *scope, bool local)
{
	struct search *search = self;
	const char *plain = dwarf_diename(die);
	struct type_name name;

	if (!plain || strcmp(plain, search->plain) != 0 || kind_of(die) != search->kind ||
	    dwarf_hasattr(die, DW_AT_declaration) || (local && !search->local))
		return;
	if (!type_names_visited(search->definitions->names, die, scope, local, &name) ||
	    strcmp(name.name, search->name) != 0)
		return;
	if (!search->found)
		search->die = *die;
	else if (!is_same_definition(&search->die, die))
		search->differs = true;
	search->found = true;
}

/* In C, a name can mean one thing here and another one there: then no one knows which is meant. */
static void search_units(struct search *search, const char *plain, bool cplusplus)
{
	const struct image *image = search->definitions->image;
	const struct walk_visitor visitor = {.type = type_visit, .self = search, .outside = true};
	struct unit_filter *filter = unit_filter_create(image, &plain, 1);
	struct unit_cursor cursor = {0};

	while (!search->differs && !(search->found && cplusplus) && walk_next_unit(image, &cursor))
		if (unit_filter_passes(filter, &cursor.die))
			walk_unit(&visitor, &cursor.die);
	unit_filter_destroy(filter);
}

static void search_run(struct search *search, Dwarf_Die *declaration, const struct type_name *name)
{
	const struct walk_visitor visitor = {
		.type = type_visit, .self = search, .outside = !name->unit_only};
	Dwarf_Die unit;

	if (dwarf_diecu(declaration, &unit, NULL, NULL))
		walk_unit(&visitor, &unit);
	if (!search->found && !name->unit_only)
		search_units(search, name->plain, type_names_is_cplusplus(declaration));
}

/* The text that an answer is remembered under. */
static const char *key_make(const struct definitions *definitions, Dwarf_Die *declaration,
			    const struct type_name *name)
{
	Dwarf_Die unit = {0};

	if (name->unit_only)
		dwarf_diecu(declaration, &unit, NULL, NULL);
	return arena_printf(definitions->arena, "%c%p:%s", kind_of(declaration), unit.addr,
			    name->name);
}

bool definitions_find(struct definitions *definitions, Dwarf_Die *declaration, Dwarf_Die *ret)
{
	struct search search = {.definitions = definitions, .kind = kind_of(declaration)};
	struct answer *answer;
	struct type_name name;
	const char *key;

	if (die_reference(declaration, DW_AT_signature, ret))
		return true;
	if (!search.kind || !type_names_find(definitions->names, declaration, &name))
		return false;
	key = key_make(definitions, declaration, &name);
	HASH_FIND_STR(definitions->answers, key, answer);
	if (!answer) {
		search.plain = dwarf_diename(declaration);
		search.name = name.name;
		search.local = name.unit_only;
		search_run(&search, declaration, &name);
		answer = arena_new(definitions->arena, struct answer);
		answer->found = search.found && !search.differs;
		answer->die = search.die;
		HASH_ADD_KEYPTR(hh, definitions->answers, key, strlen(key), answer);
	}
	*ret = answer->die;
	return answer->found;
}
