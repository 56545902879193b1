/*
 * The types of a unit and their scopes, gathered in one walk when the unit is first requested.
 * core/cxx_name.c makes the canonical form.
 */
#include "type_names.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "base/bisect.h"
#include "core/cxx_name.h"
#include "dwarf/search/die_walk.h"

/* DWARF language codes assigned after version 5. */
enum { LANG_C_PLUS_PLUS_17 = 0x2b, LANG_C_PLUS_PLUS_20 = 0x2c };

/* Types outside of functions are gathered first; mostly they suffice. */
struct gathered {
	struct type_entry *entries; /* in the order of their addresses */
	size_t n, capacity;
	bool done;
};

struct unit {
	const void *addr; /* of the unit's DIE */
	struct gathered outside, whole;
	UT_hash_handle hh;
};

struct type_names {
	struct arena *arena;
	struct unit *units;
};

struct gathering {
	struct type_names *names;
	struct gathered *to;
	const char *scope; /* cache: mostly the same as before */
};

struct type_names *type_names_create(void)
{
	struct type_names *names = mem_alloc(sizeof(*names));

	names->arena = arena_create();
	return names;
}

void type_names_destroy(struct type_names *names)
{
	struct unit *unit, *next;

	if (!names)
		return;
	HASH_ITER (hh, names->units, unit, next) {
		HASH_DEL(names->units, unit);
		free(unit->outside.entries);
		free(unit->whole.entries);
	}
	arena_destroy(names->arena);
	free(names);
}

static enum type_word type_name_word_of(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_union_type:
		return TYPE_WORD_UNION;
	case DW_TAG_enumeration_type:
		return TYPE_WORD_ENUM;
	}
	return TYPE_WORD_RECORD;
}

static void type_name_add(void *self, Dwarf_Die *die, const char *scope, bool local)
{
	struct gathering *gathering = self;
	struct gathered *to = gathering->to;

	if (!gathering->scope || strcmp(gathering->scope, scope) != 0)
		gathering->scope = arena_strdup(gathering->names->arena, scope);
	to->entries = mem_grow(to->entries, &to->capacity, to->n + 1, sizeof(*to->entries));
	to->entries[to->n++] = (struct type_entry){
		.die = *die,
		.plain = dwarf_diename(die),
		.scope = gathering->scope,
		.word = type_name_word_of(die),
		.local = local,
		.is_declared = dwarf_hasattr(die, DW_AT_declaration),
	};
}

static struct unit *type_name_unit(struct type_names *names, const void *addr)
{
	struct unit *unit;

	HASH_FIND_PTR(names->units, &addr, unit);
	if (unit)
		return unit;
	unit = arena_new(names->arena, struct unit);
	unit->addr = addr;
	HASH_ADD_PTR(names->units, addr, unit);
	return unit;
}

static const struct gathered *type_name_gather(struct type_names *names, Dwarf_Die *unit_die,
					       bool whole)
{
	struct unit *unit = type_name_unit(names, unit_die->addr);
	struct gathered *to = whole ? &unit->whole : &unit->outside;
	struct gathering gathering = {.names = names, .to = to};
	const struct walk_visitor visitor = {
		.type = type_name_add, .self = &gathering, .outside = !whole};

	if (!to->done)
		die_walk_unit(&visitor, unit_die);
	to->done = true;
	return to;
}

size_t type_names_of_unit(struct type_names *names, Dwarf_Die *unit, bool whole,
			  struct type_entry **ret)
{
	const struct gathered *gathered = type_name_gather(names, unit, whole);

	*ret = gathered->entries;
	return gathered->n;
}

static struct type_name name_make(struct type_names *names, const char *scope, const char *plain,
				  bool local)
{
	const size_t length = strcspn(plain, "<");
	const char *full = *scope ? arena_printf(names->arena, "%s::%s", scope, plain) : plain;

	return (struct type_name){
		.name = cxx_name_canonical(names->arena, full),
		.plain = arena_printf(names->arena, "%.*s", (int)length, plain),
		.unit_only = local || strstr(full, "(anonymous namespace)"),
	};
}

static struct type_entry *type_name_find(const struct gathered *gathered, const void *addr)
{
	const size_t low = BISECT_FIRST(
		i, gathered->n, (const char *)gathered->entries[i].die.addr < (const char *)addr);

	if (low == gathered->n || gathered->entries[low].die.addr != addr)
		return NULL;
	return &gathered->entries[low];
}

/* A definition outside of its scope refers to a declaration within. */
static Dwarf_Die declaration_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration;

	if (dwarf_attr(die, DW_AT_specification, &attribute) &&
	    dwarf_formref_die(&attribute, &declaration))
		return declaration;
	return *die;
}

bool type_names_find(struct type_names *names, Dwarf_Die *die, struct type_name *ret)
{
	Dwarf_Die declaration = declaration_of(die);
	const char *plain = dwarf_diename(&declaration);
	struct type_entry *entry;
	Dwarf_Die unit;

	if (!plain || !*plain || !dwarf_diecu(&declaration, &unit, NULL, NULL))
		return false;
	entry = type_name_find(type_name_gather(names, &unit, false), declaration.addr);
	if (!entry)
		entry = type_name_find(type_name_gather(names, &unit, true), declaration.addr);
	if (!entry)
		return false;
	if (!entry->name.name)
		entry->name = name_make(names, entry->scope, plain, entry->local);
	*ret = entry->name;
	return true;
}

bool type_names_entry(struct type_names *names, struct type_entry *entry, struct type_name *ret)
{
	if (dwarf_hasattr(&entry->die, DW_AT_specification))
		return type_names_find(names, &entry->die, ret);
	if (!entry->plain || !*entry->plain)
		return false;
	if (!entry->name.name)
		entry->name = name_make(names, entry->scope, entry->plain, entry->local);
	*ret = entry->name;
	return true;
}

bool type_names_is_cplusplus(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_C_PLUS_PLUS_17:
	case LANG_C_PLUS_PLUS_20:
	case DW_LANG_ObjC_plus_plus:
		return true;
	}
	return false;
}
