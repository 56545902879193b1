/*
 * The variables of units, gathered when a function of the unit first asks, and what of them a
 * function sees. Where they are is place.c's and thread_local.c's.
 */
#include "dwarf/variables.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/text.h"
#include "core/name.h"
#include "dwarf/die.h"
#include "dwarf/naming.h"
#include "dwarf/place.h"
#include "dwarf/walk.h"

#define ANONYMOUS "(anonymous namespace)::"

enum {
	VARIABLES_MAX = 1 << 16,
	NAME_SIZE_MAX = 256,
	CHAIN_MAX = 8, /* of references from unit to unit, or from copy to original */
	BLOCKS_MAX = 32,
	IMPORTS_MAX = 4096,
};

struct entry {
	const char *expression;
	const char *other; /* what to call it where that is taken, NULL: not made yet */
	const void *home;  /* of the unit that it is from */
	Dwarf_Die die;
	struct place place;
	bool external;
	bool left_out;
};

/* Where the DIE at @addr is among the entries. */
struct known {
	const void *addr;
	size_t index;
	UT_hash_handle hh;
};

struct unit {
	const void *addr; /* of its DIE */
	Dwarf_Die die;
	struct entry *entries;
	size_t n, capacity;
	struct known *known;
	UT_hash_handle hh;
};

struct variables {
	const struct image *image;
	struct arena *arena;
	struct unit *units;
	size_t n_entries;
	unsigned chain; /* units that are being gathered */
	struct location thread_block;
	bool thread_block_known;
};

struct variables *variables_create(const struct image *image, struct arena *arena)
{
	struct variables *variables = mem_alloc(sizeof(*variables));

	variables->image = image;
	variables->arena = arena;
	return variables;
}

void variables_destroy(struct variables *variables)
{
	struct unit *unit, *next;

	if (!variables)
		return;
	HASH_ITER (hh, variables->units, unit, next) {
		HASH_DEL(variables->units, unit);
		HASH_CLEAR(hh, unit->known);
		free(unit->entries);
	}
	free(variables);
}

/* Names that compilers make have blanks and brackets. */
static bool is_name(const char *name)
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

/* Names of unnamed namespaces are used as if they were outside. */
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

static const char *expression_make(const struct variables *variables, Dwarf_Die *die,
				   const char *scope)
{
	struct arena *arena = variables->arena;
	const char *plain = dwarf_diename(die);
	const char *linkage = die_linkage(die);
	const char *name = linkage ? naming_demangle(linkage, arena) : NULL;

	if (!name || *scope)
		name = *scope ? arena_printf(arena, "%s::%s", scope, plain) : plain;
	return without_anonymous(name_canonical(arena, name), arena);
}

static struct entry *entry_find(struct unit *unit, const void *addr)
{
	struct known *known;

	HASH_FIND_PTR(unit->known, &addr, known);
	return known ? &unit->entries[known->index] : NULL;
}

static void entry_append(struct variables *variables, struct unit *unit, const void *addr,
			 const struct entry *entry)
{
	struct known *known = arena_new(variables->arena, struct known);

	unit->entries =
		mem_grow(unit->entries, &unit->capacity, unit->n + 1, sizeof(*unit->entries));
	known->addr = addr;
	known->index = unit->n;
	HASH_ADD_PTR(unit->known, addr, known);
	unit->entries[unit->n++] = *entry;
	variables->n_entries++;
}

static struct unit *unit_find(struct variables *variables, Dwarf_Die *die);

/* What the DIE that completes another one, or is a copy of one, is about. False: it is the first. */
static bool original_of(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret)
{
	Dwarf_Attribute found;

	return dwarf_attr(die, attribute, &found) && dwarf_formref_die(&found, ret);
}

struct gathering {
	struct variables *variables;
	struct unit *unit;
};

static void place_apply(struct gathering *gathering, struct entry *entry, Dwarf_Die *die,
			const char *scope)
{
	entry->die = *die;
	entry->place = place_of(gathering->variables->image, die, scope);
	if (entry->place.kind == PLACE_LOCAL) /* a static one without a place */
		entry->place =
			(struct place){PLACE_NOWHERE, 0, ABSENT_OPTIMIZED_OUT, "optimised out"};
	entry->left_out = entry->place.kind == PLACE_FIXED;
	entry->external = die_flag(die, DW_AT_external);
}

/* An optimiser over the whole program puts variables into a unit of its own. */
static void origin_apply(struct variables *variables, struct entry *entry, Dwarf_Die *origin)
{
	struct unit *unit = unit_find(variables, origin);
	const struct entry *first = unit ? entry_find(unit, origin->addr) : NULL;

	if (unit)
		entry->home = unit->addr;
	if (first)
		entry->expression = first->expression;
}

static void entry_add(struct gathering *gathering, Dwarf_Die *die, const char *scope)
{
	struct variables *variables = gathering->variables;
	struct unit *unit = gathering->unit;
	struct entry entry = {.home = unit->addr};
	Dwarf_Die origin;

	entry.expression = expression_make(variables, die, scope);
	if (original_of(die, DW_AT_abstract_origin, &origin))
		origin_apply(variables, &entry, &origin);
	if (is_library_internal(entry.expression))
		return;
	place_apply(gathering, &entry, die, scope);
	entry_append(variables, unit, die->addr, &entry);
}

static void variable_visit(void *self, Dwarf_Die *die, const char *scope)
{
	struct gathering *gathering = self;
	Dwarf_Die declaration;
	struct entry *entry = NULL;

	if (!is_name(dwarf_diename(die)) || die_flag(die, DW_AT_artificial))
		return;
	if (original_of(die, DW_AT_specification, &declaration))
		entry = entry_find(gathering->unit, declaration.addr);
	if (entry)
		place_apply(gathering, entry, die, scope);
	else if (gathering->variables->n_entries < VARIABLES_MAX)
		entry_add(gathering, die, scope);
}

/* What several units have in common can be in a unit that they import. */
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
			walk_unit(visitor, &imported);
	}
}

/* The unit that has @die. */
static struct unit *unit_find(struct variables *variables, Dwarf_Die *die)
{
	struct gathering gathering = {.variables = variables};
	const struct walk_visitor visitor = {
		.variable = variable_visit, .self = &gathering, .outside = true};
	struct unit *unit;
	Dwarf_Die whole;

	if (!dwarf_diecu(die, &whole, NULL, NULL))
		return NULL;
	HASH_FIND_PTR(variables->units, &whole.addr, unit);
	if (unit || variables->chain == CHAIN_MAX)
		return unit;
	unit = arena_new(variables->arena, struct unit);
	unit->addr = whole.addr;
	unit->die = whole;
	HASH_ADD_PTR(variables->units, addr, unit);
	gathering.unit = unit;
	variables->chain++;
	imports_visit(&visitor, &whole);
	walk_unit(&visitor, &whole);
	variables->chain--;
	return unit;
}

/* A variable that was told of, or (without a place) a name that something else has. */
struct told {
	const char *expression;
	struct place place;
	bool external;
	UT_hash_handle hh;
};

struct telling {
	struct variables *variables;
	struct arena *scratch;
	struct told *told;
	bool (*each)(void *self, const struct variable *variable);
	void *self;
	bool ended;
};

static struct told *told_find(const struct telling *telling, const char *expression)
{
	struct told *told;

	HASH_FIND_STR(telling->told, expression, told);
	return told;
}

static void told_add(struct telling *telling, const char *expression, const struct place *place,
		     bool external)
{
	struct told *told = arena_new(telling->scratch, struct told);

	told->expression = expression;
	told->place = *place;
	told->external = external;
	HASH_ADD_KEYPTR(hh, telling->told, told->expression, strlen(expression), told);
}

static void thread_locate(struct variables *variables, uint64_t offset, struct location *ret)
{
	if (!variables->thread_block_known)
		variables_thread_local(variables->image, 0, variables->arena,
				       &variables->thread_block);
	variables->thread_block_known = true;
	*ret = variables->thread_block;
	location_add(ret, (int64_t)offset);
}

static struct location locate(struct variables *variables, const struct place *place)
{
	struct location at = {.kind = LOCATION_MEMORY, .where = "a fixed address"};

	switch (place->kind) {
	case PLACE_ADDRESS:
		steps_push(&at.steps, PLAN_ADDRESS, (int64_t)place->value);
		break;
	case PLACE_THREAD:
		thread_locate(variables, place->value, &at);
		break;
	case PLACE_NOWHERE:
	case PLACE_LOCAL:
	case PLACE_FIXED:
		location_absent(&at, place->absence, place->why);
		break;
	}
	return at;
}

static void tell(struct telling *telling, const char *expression, Dwarf_Die *die,
		 const struct place *place, bool external)
{
	struct variable variable = {
		.expression = expression,
		.die = *die,
		.at = locate(telling->variables, place),
	};

	told_add(telling, expression, place, external);
	telling->ended = !telling->each(telling->self, &variable);
}

/* `'file.c'::name`, as debuggers have it. */
static const char *other_expression(struct variables *variables, struct entry *entry)
{
	const char *file = NULL;
	struct unit *unit;

	HASH_FIND_PTR(variables->units, &entry->home, unit);
	if (unit)
		file = dwarf_diename(&unit->die);
	if (!entry->other)
		entry->other = arena_printf(variables->arena, "'%s'::%s",
					    file ? basename(file) : "?", entry->expression);
	return entry->other;
}

static void entry_tell(struct telling *telling, struct entry *entry)
{
	const struct told *told = told_find(telling, entry->expression);
	const char *expression = entry->expression;

	if (told &&
	    ((told->external && entry->external) || place_is_same(&told->place, &entry->place)))
		return;
	if (told)
		expression = other_expression(telling->variables, entry);
	if (!told || !told_find(telling, expression))
		tell(telling, expression, &entry->die, &entry->place, entry->external);
}

/* Those of the function's own unit, with what it says of those that it has not got. */
static void own_unit_tell(struct telling *telling, struct unit *unit, const void *home)
{
	for (size_t i = 0; i < unit->n && !telling->ended; i++) {
		struct entry *entry = &unit->entries[i];

		if (!entry->left_out && (entry->home == home || entry->home == unit->addr))
			entry_tell(telling, entry);
	}
}

static void all_units_tell(struct telling *telling)
{
	struct variables *variables = telling->variables;
	struct unit_cursor cursor = {0};

	while (!telling->ended && walk_next_unit(variables->image, &cursor)) {
		struct unit *unit = cursor.is_type ? NULL : unit_find(variables, &cursor.die);

		for (size_t i = 0; unit && i < unit->n && !telling->ended; i++) {
			struct entry *entry = &unit->entries[i];

			if (!entry->left_out && entry->place.kind != PLACE_NOWHERE)
				entry_tell(telling, entry);
		}
	}
}

/* A variable of the function: told of if it is static, else its name is taken. */
static void local_tell(struct telling *telling, Dwarf_Die *die, int depth)
{
	const char *name = dwarf_diename(die);
	struct place place;

	if (!is_name(name) || die_flag(die, DW_AT_artificial) || told_find(telling, name) ||
	    !strcmp(name, "__func__") || !strcmp(name, "__PRETTY_FUNCTION__"))
		return;
	place = place_of(telling->variables->image, die, "");
	if (dwarf_tag(die) == DW_TAG_variable &&
	    (place.kind == PLACE_ADDRESS || place.kind == PLACE_THREAD))
		tell(telling, arena_strdup(telling->variables->arena, name), die, &place,
		     die_flag(die, DW_AT_external));
	else if (depth == 0 && !die_flag(die, DW_AT_external))
		told_add(telling, name, &place, false);
}

static void locals_tell(struct telling *telling, Dwarf_Die *block, int depth)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more && !telling->ended;
	     more = die_next(&child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			local_tell(telling, &child, depth);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (depth < BLOCKS_MAX)
				locals_tell(telling, &child, depth + 1);
			break;
		}
	}
}

/* The DIE that @function is a copy of, which says what is common to all copies. */
static Dwarf_Die first_of(Dwarf_Die *function)
{
	Dwarf_Die at = *function, next;

	for (int i = 0; i < CHAIN_MAX && original_of(&at, DW_AT_abstract_origin, &next); i++)
		at = next;
	return at;
}

void variables_each(struct variables *variables, Dwarf_Die *function, enum globals which,
		    bool (*each)(void *self, const struct variable *variable), void *self)
{
	struct telling telling = {.variables = variables, .each = each, .self = self};
	Dwarf_Die first = first_of(function), home = {0};
	struct unit *unit;

	telling.scratch = arena_create();
	dwarf_diecu(&first, &home, NULL, NULL);
	if (which != GLOBALS_NONE) {
		locals_tell(&telling, function, 0);
		if (first.addr != function->addr)
			locals_tell(&telling, &first, 0);
		unit = unit_find(variables, function);
		if (unit)
			own_unit_tell(&telling, unit, home.addr);
	}
	if (which == GLOBALS_ALL)
		all_units_tell(&telling);
	HASH_CLEAR(hh, telling.told);
	arena_destroy(telling.scratch);
}
