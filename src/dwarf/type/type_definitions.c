/*
 * Searches for definitions of types in the units that can contain them. Caches results by name,
 * also negative ones.
 */
#include "type_definitions.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "type_names.h"
#include "dwarf/search/unit_filter.h"
#include "dwarf/search/die_walk.h"

/* A cached result; the key is the type's kind and name. */
struct answer {
	bool found;
	Dwarf_Die die;
	UT_hash_handle hh;
};

/* Definitions outside of functions, by DW_AT_name. */
struct named {
	struct named_entry {
		struct type_entry *type;
		struct named_entry *next;
	} * first, **last;
	UT_hash_handle hh;
};

struct seen_unit {
	const void *addr;
	UT_hash_handle hh;
};

enum { SCANS_MAX = 16 }; /* after this many names, walk all units once */

struct type_definitions {
	const struct elf_file *image;
	struct arena *arena;
	struct type_names *names;
	struct answer *answers;
	struct named *by_name;
	struct seen_unit *units; /* whose definitions are in `by_name` */
	unsigned n_scans;
	bool complete; /* `units` has all */
};

struct search {
	struct type_definitions *definitions;
	const char *plain; /* DW_AT_name */
	const char *name;
	enum type_word word;
	bool found, differs;
	Dwarf_Die die;
};

struct type_definitions *type_definitions_create(const struct elf_file *image,
						 struct type_names *names)
{
	struct type_definitions *definitions = mem_alloc(sizeof(*definitions));

	definitions->image = image;
	definitions->arena = arena_create();
	definitions->names = names;
	return definitions;
}

void type_definitions_destroy(struct type_definitions *definitions)
{
	if (!definitions)
		return;
	HASH_CLEAR(hh, definitions->answers);
	HASH_CLEAR(hh, definitions->by_name);
	HASH_CLEAR(hh, definitions->units);
	arena_destroy(definitions->arena);
	free(definitions);
}

static bool definition_word_of(Dwarf_Die *die, enum type_word *ret)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		*ret = TYPE_WORD_RECORD;
		return true;
	case DW_TAG_union_type:
		*ret = TYPE_WORD_UNION;
		return true;
	case DW_TAG_enumeration_type:
		*ret = TYPE_WORD_ENUM;
		return true;
	}
	return false;
}

bool type_definitions_are_same(Dwarf_Die *a, Dwarf_Die *b)
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

static void definition_visit(struct search *search, struct type_entry *entry)
{
	struct type_name name;

	if (entry->is_declared || entry->word != search->word || !entry->plain ||
	    strcmp(entry->plain, search->plain) != 0)
		return;
	if (!type_names_entry(search->definitions->names, entry, &name) ||
	    strcmp(name.name, search->name) != 0)
		return;
	if (!search->found)
		search->die = entry->die;
	else if (!type_definitions_are_same(&search->die, &entry->die))
		search->differs = true;
	search->found = true;
}

static void definition_unit_visit(struct search *search, Dwarf_Die *unit, bool whole)
{
	struct type_entry *entries;
	const size_t n = type_names_of_unit(search->definitions->names, unit, whole, &entries);

	for (size_t i = 0; i < n; i++)
		definition_visit(search, &entries[i]);
}

static void named_add(struct type_definitions *definitions, struct type_entry *type)
{
	struct named_entry *entry;
	struct named *named;

	if (type->is_declared || !type->plain)
		return;
	HASH_FIND_STR(definitions->by_name, type->plain, named);
	if (!named) {
		named = arena_new(definitions->arena, struct named);
		named->last = &named->first;
		HASH_ADD_KEYPTR(hh, definitions->by_name, type->plain, strlen(type->plain), named);
	}
	entry = arena_new(definitions->arena, struct named_entry);
	entry->type = type;
	*named->last = entry;
	named->last = &entry->next;
}

static void unit_remember(struct type_definitions *definitions, Dwarf_Die *unit)
{
	struct seen_unit *seen = arena_new(definitions->arena, struct seen_unit);
	struct type_entry *entries;
	const size_t n = type_names_of_unit(definitions->names, unit, false, &entries);

	seen->addr = unit->addr;
	HASH_ADD_PTR(definitions->units, addr, seen);
	for (size_t i = 0; i < n; i++)
		named_add(definitions, &entries[i]);
}

static bool is_remembered(const struct type_definitions *definitions, Dwarf_Die *unit)
{
	struct seen_unit *seen;

	HASH_FIND_PTR(definitions->units, &unit->addr, seen);
	return seen;
}

/* Cache the definitions in units that can contain @plain. */
static void units_remember(struct type_definitions *definitions, const char *plain)
{
	const bool all = definitions->n_scans++ >= SCANS_MAX;
	struct unit_filter *filter;
	struct unit_cursor cursor = {0};

	if (definitions->complete)
		return;
	filter = unit_filter_create(definitions->image, &plain, 1);
	while (die_walk_next_unit(definitions->image, &cursor))
		if (!is_remembered(definitions, &cursor.die) &&
		    (all || unit_filter_passes(filter, &cursor.die)))
			unit_remember(definitions, &cursor.die);
	unit_filter_destroy(filter);
	definitions->complete = all;
}

/* In C, a name can mean different types in different units: then the result is unknown. */
static void search_units(struct search *search, const char *plain, bool cplusplus)
{
	struct type_definitions *definitions = search->definitions;
	struct named *named;

	units_remember(definitions, plain);
	HASH_FIND_STR(definitions->by_name, search->plain, named);
	for (struct named_entry *entry = named ? named->first : NULL;
	     entry && !search->differs && !(search->found && cplusplus); entry = entry->next)
		if (!entry->type->local)
			definition_visit(search, entry->type);
}

static void definition_search_run(struct search *search, Dwarf_Die *declaration,
				  const struct type_name *name)
{
	Dwarf_Die unit;

	if (dwarf_diecu(declaration, &unit, NULL, NULL))
		definition_unit_visit(search, &unit, name->unit_only);
	if (!search->found && !name->unit_only)
		search_units(search, name->plain, type_names_is_cplusplus(declaration));
}

/* The cache key. */
static const char *key_make(const struct type_definitions *definitions, Dwarf_Die *declaration,
			    enum type_word word, const struct type_name *name)
{
	Dwarf_Die unit = {0};

	if (name->unit_only)
		dwarf_diecu(declaration, &unit, NULL, NULL);
	return arena_printf(definitions->arena, "%d%p:%s", (int)word, unit.addr, name->name);
}

bool type_definitions_find(struct type_definitions *definitions, Dwarf_Die *declaration,
			   Dwarf_Die *ret)
{
	struct search search = {.definitions = definitions};
	struct answer *answer;
	struct type_name name;
	const char *key;

	if (die_reference(declaration, DW_AT_signature, ret))
		return true;
	if (!definition_word_of(declaration, &search.word) ||
	    !type_names_find(definitions->names, declaration, &name))
		return false;
	key = key_make(definitions, declaration, search.word, &name);
	HASH_FIND_STR(definitions->answers, key, answer);
	if (!answer) {
		search.plain = dwarf_diename(declaration);
		search.name = name.name;
		definition_search_run(&search, declaration, &name);
		answer = arena_new(definitions->arena, struct answer);
		answer->found = search.found && !search.differs;
		answer->die = search.die;
		HASH_ADD_KEYPTR(hh, definitions->answers, key, strlen(key), answer);
	}
	*ret = answer->die;
	return answer->found;
}
