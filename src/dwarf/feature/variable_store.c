/*
 * Gathers a unit's variables in one walk: their names, with declarations joined to definitions.
 * static_location.c locates them.
 */
#include "variable_store.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "base/text.h"
#include "core/cxx_name.h"
#include "dwarf/file/die.h"
#include "dwarf/file/die_name.h"
#include "dwarf/search/die_walk.h"

#define ANONYMOUS "(anonymous namespace)::"

enum {
	VARIABLES_MAX = 1 << 16,
	NAME_SIZE_MAX = 256,
	CHAIN_MAX = 8, /* references from unit to unit */
	IMPORTS_MAX = 1024,
};

/* The index of the entry for the DIE at @addr. */
struct known {
	const void *addr;
	size_t index;
	UT_hash_handle hh;
};

struct unit {
	struct unit_variables is;
	const void *addr; /* of its DIE */
	const char *file;
	size_t capacity;
	struct known *known;
	UT_hash_handle hh;
};

struct variable_store {
	const struct elf_file *image;
	struct arena *arena;
	struct unit *units;
	size_t n_variables;
	unsigned chain; /* units being gathered */
};

struct variable_store *variable_store_create(const struct elf_file *image, struct arena *arena)
{
	struct variable_store *store = mem_alloc(sizeof(*store));

	store->image = image;
	store->arena = arena;
	return store;
}

void variable_store_destroy(struct variable_store *store)
{
	struct unit *unit, *next;

	if (!store)
		return;
	HASH_ITER (hh, store->units, unit, next) {
		HASH_DEL(store->units, unit);
		HASH_CLEAR(hh, unit->known);
		free(unit->is.items);
	}
	free(store);
}

bool variable_store_is_name(const char *name)
{
	return name &&
	       ((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_' ||
		(unsigned char)*name >= 0x80) &&
	       !strpbrk(name, " \t\n{}") && strlen(name) <= NAME_SIZE_MAX;
}

static bool is_library_internal(const char *expression)
{
	static const char *const scopes[] = {"std::", "__gnu_cxx::", "__cxxabiv1::", "__pstl::"};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
		if (!strncmp(expression, scopes[i], strlen(scopes[i])))
			return true;
	return false;
}

/* Names in unnamed namespaces are used without them. */
static const char *without_anonymous(const char *name, struct arena *arena)
{
	struct text out = {0};
	const char *ret = name;

	if (!strstr(name, ANONYMOUS))
		return name;
	for (const char *next; (next = strstr(name, ANONYMOUS)); name = next + strlen(ANONYMOUS))
		text_add(&out, name, next - name);
	text_add_string(&out, name);
	ret = arena_strdup(arena, out.bytes);
	text_deinit(&out);
	return ret;
}

static const char *expression_make(const struct variable_store *store, Dwarf_Die *die,
				   const char *scope)
{
	struct arena *arena = store->arena;
	const char *plain = dwarf_diename(die);
	const char *linkage = die_linkage(die);
	const char *name = linkage ? die_name_demangle(linkage, arena) : NULL;

	if (!name || *scope)
		name = *scope ? arena_printf(arena, "%s::%s", scope, plain) : plain;
	return without_anonymous(cxx_name_canonical(arena, name), arena);
}

static struct unit_variable *stored_find(struct unit *unit, const void *addr)
{
	struct known *known;

	HASH_FIND_PTR(unit->known, &addr, known);
	return known ? &unit->is.items[known->index] : NULL;
}

static void entry_append(struct variable_store *store, struct unit *unit, const void *addr,
			 const struct unit_variable *entry)
{
	struct known *known = arena_new(store->arena, struct known);

	unit->is.items =
		mem_grow(unit->is.items, &unit->capacity, unit->is.n + 1, sizeof(*unit->is.items));
	known->addr = addr;
	known->index = unit->is.n;
	HASH_ADD_PTR(unit->known, addr, known);
	unit->is.items[unit->is.n++] = *entry;
	store->n_variables++;
}

static struct unit *stored_unit_find(struct variable_store *store, Dwarf_Die *die);

/* The DIE that @die completes or copies. False: none. */
static bool original_of(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret)
{
	Dwarf_Attribute found;

	return dwarf_attr(die, attribute, &found) && dwarf_formref_die(&found, ret);
}

struct gathering {
	struct variable_store *store;
	struct unit *unit;
};

static void place_apply(struct gathering *gathering, struct unit_variable *entry, Dwarf_Die *die,
			const char *scope)
{
	entry->die = *die;
	entry->place = static_location(gathering->store->image, die, scope);
	if (entry->place.kind == PLACE_LOCAL) /* a static variable without a place */
		entry->place = (struct static_location){PLACE_NOWHERE, 0, ABSENT_OPTIMIZED_OUT,
							"optimised out"};
	entry->left_out = entry->place.kind == PLACE_FIXED;
	entry->external = die_flag(die, DW_AT_external);
}

/* Link-time optimisation puts variables into a unit of its own. */
static void origin_apply(struct variable_store *store, struct unit_variable *entry,
			 Dwarf_Die *origin)
{
	struct unit *unit = stored_unit_find(store, origin);
	const struct unit_variable *first = unit ? stored_find(unit, origin->addr) : NULL;

	if (unit) {
		entry->home = unit->addr;
		entry->file = unit->file;
	}
	if (first)
		entry->expression = first->expression;
}

/* @addr: address of the DIE to which others refer. */
static void stored_add(struct gathering *gathering, Dwarf_Die *die, const void *addr,
		       const char *scope)
{
	struct variable_store *store = gathering->store;
	struct unit *unit = gathering->unit;
	struct unit_variable entry = {.home = unit->addr, .file = unit->file};
	Dwarf_Die origin;

	entry.expression = expression_make(store, die, scope);
	if (original_of(die, DW_AT_abstract_origin, &origin))
		origin_apply(store, &entry, &origin);
	if (is_library_internal(entry.expression))
		return;
	place_apply(gathering, &entry, die, scope);
	entry_append(store, unit, addr, &entry);
}

/* clang puts a static member's definition before the class that declares and names it. */
static void declared_apply(struct gathering *gathering, struct unit_variable *entry,
			   Dwarf_Die *declaration, const char *scope)
{
	entry->expression = expression_make(gathering->store, declaration, scope);
}

static void variable_visit(void *self, Dwarf_Die *die, const char *scope)
{
	struct gathering *gathering = self;
	Dwarf_Die declaration = *die;
	struct unit_variable *entry;
	bool completes;

	if (!variable_store_is_name(dwarf_diename(die)) || die_flag(die, DW_AT_artificial))
		return;
	completes = original_of(die, DW_AT_specification, &declaration);
	entry = stored_find(gathering->unit, completes ? declaration.addr : die->addr);
	if (entry && completes)
		place_apply(gathering, entry, die, scope);
	else if (entry)
		declared_apply(gathering, entry, die, scope);
	else if (gathering->store->n_variables < VARIABLES_MAX)
		stored_add(gathering, die, completes ? declaration.addr : die->addr, scope);
}

/* Declarations common to several units may be in an imported unit. */
static void imports_visit(const struct walk_visitor *visitor, Dwarf_Die *unit)
{
	Dwarf_Die child, imported;
	int n = 0;

	for (bool more = die_first(unit, &child); more && n < IMPORTS_MAX;
	     more = die_next(&child)) {
		if (dwarf_tag(&child) != DW_TAG_imported_unit)
			continue;
		n++;
		if (die_reference(&child, DW_AT_import, &imported) &&
		    dwarf_tag(&imported) == DW_TAG_partial_unit)
			die_walk_unit(visitor, &imported);
	}
}

/* The unit that contains @die. */
static struct unit *stored_unit_find(struct variable_store *store, Dwarf_Die *die)
{
	struct gathering gathering = {.store = store};
	const struct walk_visitor visitor = {
		.variable = variable_visit, .self = &gathering, .outside = true};
	struct unit *unit;
	Dwarf_Die whole;

	if (!dwarf_diecu(die, &whole, NULL, NULL))
		return NULL;
	HASH_FIND_PTR(store->units, &whole.addr, unit);
	if (unit || store->chain == CHAIN_MAX)
		return unit;
	unit = arena_new(store->arena, struct unit);
	unit->addr = whole.addr;
	unit->file = dwarf_diename(&whole);
	HASH_ADD_PTR(store->units, addr, unit);
	gathering.unit = unit;
	store->chain++;
	imports_visit(&visitor, &whole);
	die_walk_unit(&visitor, &whole);
	store->chain--;
	return unit;
}

struct unit_variables *variable_store_unit(struct variable_store *store, Dwarf_Die *die)
{
	struct unit *unit = stored_unit_find(store, die);

	return unit ? &unit->is : NULL;
}
