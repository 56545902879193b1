/*
 * The types of a unit with what encloses them, gathered in one walk when the unit is first asked
 * about. The canonical form is core/name.c's.
 */
#include "dwarf/type_names.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "core/name.h"
#include "dwarf/walk.h"

/* Source: DWARF 5 language codes given out since. */
enum { LANG_C_PLUS_PLUS_17 = 0x2b, LANG_C_PLUS_PLUS_20 = 0x2c };

struct entry {
	const void *addr; /* of the DIE; it grows */
	const char *scope;
	bool local;
	struct type_name name; /* without a name: not made yet */
};

struct unit {
	const void *addr; /* of the unit's DIE */
	struct entry *entries;
	size_t n_entries, capacity;
	UT_hash_handle hh;
};

struct type_names {
	struct arena *arena;
	struct unit *units;
};

/* A walk over a unit. */
struct gathering {
	struct type_names *names;
	struct unit *unit;
	const char *scope; /* the last one, which most have */
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
		free(unit->entries);
	}
	arena_destroy(names->arena);
	free(names);
}

static void entry_add(void *self, Dwarf_Die *die, const char *scope, bool local)
{
	struct gathering *gathering = self;
	struct unit *unit = gathering->unit;

	if (!gathering->scope || strcmp(gathering->scope, scope) != 0)
		gathering->scope = arena_strdup(gathering->names->arena, scope);
	unit->entries = mem_grow(unit->entries, &unit->capacity, unit->n_entries + 1,
				 sizeof(*unit->entries));
	unit->entries[unit->n_entries++] =
		(struct entry){.addr = die->addr, .scope = gathering->scope, .local = local};
}

static struct unit *unit_find(struct type_names *names, Dwarf_Die *die)
{
	struct gathering gathering = {.names = names};
	const struct walk_visitor visitor = {.type = entry_add, .self = &gathering};
	struct unit *unit;
	Dwarf_Die whole;

	if (!dwarf_diecu(die, &whole, NULL, NULL))
		return NULL;
	HASH_FIND_PTR(names->units, &whole.addr, unit);
	if (unit)
		return unit;
	unit = arena_new(names->arena, struct unit);
	unit->addr = whole.addr;
	HASH_ADD_PTR(names->units, addr, unit);
	gathering.unit = unit;
	walk_unit(&visitor, &whole);
	return unit;
}

static struct type_name name_make(struct type_names *names, const char *scope, const char *plain,
				  bool local)
{
	const size_t length = strcspn(plain, "<");
	const char *full = *scope ? arena_printf(names->arena, "%s::%s", scope, plain) : plain;

	return (struct type_name){
		.name = name_canonical(names->arena, full),
		.plain = arena_printf(names->arena, "%.*s", (int)length, plain),
		.unit_only = local || strstr(full, "(anonymous namespace)"),
	};
}

static struct entry *entry_find(const struct unit *unit, const void *addr)
{
	size_t low = 0, high = unit->n_entries;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if ((const char *)unit->entries[middle].addr < (const char *)addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == unit->n_entries || unit->entries[low].addr != addr)
		return NULL;
	return &unit->entries[low];
}

/* A definition outside of its scope refers to a declaration in it. */
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
	struct unit *unit = plain && *plain ? unit_find(names, &declaration) : NULL;
	struct entry *entry = unit ? entry_find(unit, declaration.addr) : NULL;

	if (!entry)
		return false;
	if (!entry->name.name)
		entry->name = name_make(names, entry->scope, plain, entry->local);
	*ret = entry->name;
	return true;
}

bool type_names_visited(struct type_names *names, Dwarf_Die *die, const char *scope, bool local,
			struct type_name *ret)
{
	const char *plain = dwarf_diename(die);

	if (dwarf_hasattr(die, DW_AT_specification))
		return type_names_find(names, die, ret);
	if (!plain || !*plain)
		return false;
	*ret = name_make(names, scope, plain, local);
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
