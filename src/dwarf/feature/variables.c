/*
 * What a function sees of the variables of its unit, or of all units. Those are variable_store.c's;
 * where thread-local ones are is thread_local.c's.
 */
#include "variables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/mem.h"
#include "dwarf/file/die.h"
#include "dwarf/location/thread_local.h"
#include "dwarf/type/type.h"
#include "variable_store.h"
#include "dwarf/search/die_walk.h"

enum {
	ORIGINS_MAX = 8, /* from copy to original */
	BLOCKS_MAX = 32,
	BASES_MAX = 8, /* on the way to a member */
	MEMBERS_MAX = 4096,
};

struct variables {
	const struct elf_file *image;
	struct arena *arena;
	struct variable_store *store;
	struct location thread_block;
	bool thread_block_known;
};

struct variables *variables_create(const struct elf_file *image, struct arena *arena)
{
	struct variables *variables = mem_alloc(sizeof(*variables));

	variables->image = image;
	variables->arena = arena;
	variables->store = variable_store_create(image, arena);
	return variables;
}

void variables_destroy(struct variables *variables)
{
	if (!variables)
		return;
	variable_store_destroy(variables->store);
	free(variables);
}

/* A variable that was told of, or (without a place) a name that something else has. */
struct told {
	const char *expression;
	struct static_location place;
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

static void told_add(struct telling *telling, const char *expression,
		     const struct static_location *place, bool external)
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
		thread_local_locate(variables->image, 0, &variables->thread_block);
	variables->thread_block_known = true;
	*ret = variables->thread_block;
	location_add(ret, (int64_t)offset);
}

static struct location variable_locate(struct variables *variables,
				       const struct static_location *place)
{
	struct location at = {.kind = LOCATION_MEMORY, .where = ""};

	switch (place->kind) {
	case PLACE_ADDRESS:
		at.where = arena_printf(variables->arena, "0x%" PRIx64, place->value);
		location_push(&at.steps, PLAN_ADDRESS, (int64_t)place->value);
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

static void variable_tell(struct telling *telling, const char *expression, Dwarf_Die *die,
			  const struct static_location *place, bool external)
{
	struct variable variable = {
		.expression = expression,
		.die = *die,
		.at = variable_locate(telling->variables, place),
	};

	told_add(telling, expression, place, external);
	telling->ended = !telling->each(telling->self, &variable);
}

/* `'file.c'::name`, as debuggers have it. */
static const char *other_expression(const struct variables *variables, struct unit_variable *entry)
{
	const char *file = entry->file ? basename(entry->file) : "?";

	if (!entry->other)
		entry->other = arena_printf(variables->arena, "'%s'::%s", file, entry->expression);
	return entry->other;
}

static void entry_tell(struct telling *telling, struct unit_variable *entry)
{
	const struct told *told = told_find(telling, entry->expression);
	const char *expression = entry->expression;

	if (told && ((told->external && entry->external) ||
		     static_location_is_same(&told->place, &entry->place)))
		return;
	if (told)
		expression = other_expression(telling->variables, entry);
	if (!told || !told_find(telling, expression))
		variable_tell(telling, expression, &entry->die, &entry->place, entry->external);
}

/* Those of the function's own unit, with what it says of those that it has not got. */
static void own_unit_tell(struct telling *telling, const struct unit_variables *unit,
			  const void *own, const void *home)
{
	for (size_t i = 0; i < unit->n && !telling->ended; i++) {
		struct unit_variable *entry = &unit->items[i];

		if (!entry->left_out && (entry->home == home || entry->home == own))
			entry_tell(telling, entry);
	}
}

static void all_units_tell(struct telling *telling)
{
	struct variables *variables = telling->variables;
	struct unit_cursor cursor = {0};

	while (!telling->ended && die_walk_next_unit(variables->image, &cursor)) {
		const struct unit_variables *unit = NULL;

		if (!cursor.is_type)
			unit = variable_store_unit(variables->store, &cursor.die);
		for (size_t i = 0; unit && i < unit->n && !telling->ended; i++) {
			struct unit_variable *entry = &unit->items[i];

			if (!entry->left_out && entry->place.kind != PLACE_NOWHERE)
				entry_tell(telling, entry);
		}
	}
}

static void name_take(struct telling *telling, const char *name)
{
	const struct static_location none = {.kind = PLACE_LOCAL};

	if (name && !told_find(telling, name))
		told_add(telling, name, &none, false);
}

/* A variable of the function: told of if it is static, else its name is taken. */
static void local_tell(struct telling *telling, Dwarf_Die *die, int depth)
{
	const char *name = dwarf_diename(die);
	struct static_location place;

	if (!variable_store_is_name(name) || die_flag(die, DW_AT_artificial) ||
	    told_find(telling, name) || !strcmp(name, "__func__") ||
	    !strcmp(name, "__PRETTY_FUNCTION__"))
		return;
	place = static_location(telling->variables->image, die, "");
	if (place.kind == PLACE_ADDRESS || place.kind == PLACE_THREAD)
		variable_tell(telling, arena_strdup(telling->variables->arena, name), die, &place,
			      die_flag(die, DW_AT_external));
	else if (depth == 0 && !die_flag(die, DW_AT_external))
		name_take(telling, name);
}

/* In a member function, the name of a member means the member. */
static void members_take(struct telling *telling, Dwarf_Die *record, unsigned depth, unsigned *n)
{
	Dwarf_Die child;

	for (bool more = depth < BASES_MAX && die_first(record, &child); more;
	     more = die_next(&child)) {
		const int tag = dwarf_tag(&child);
		struct type base;

		if (++*n > MEMBERS_MAX)
			return;
		if (tag == DW_TAG_member || tag == DW_TAG_variable)
			name_take(telling, dwarf_diename(&child));
		if (tag != DW_TAG_inheritance)
			continue;
		base = type_of(&child);
		if (base.kind == TYPE_RECORD)
			members_take(telling, &base.die, depth + 1, n);
	}
}

static void parameter_take(struct telling *telling, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	struct type type = type_of(die);
	unsigned n = 0;

	name_take(telling, name);
	if (!name || strcmp(name, "this") != 0 || type.kind != TYPE_POINTER)
		return;
	type = type_of(&type.die);
	if (type.kind == TYPE_RECORD)
		members_take(telling, &type.die, 0, &n);
}

static void locals_tell(struct telling *telling, Dwarf_Die *block, int depth)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more && !telling->ended;
	     more = die_next(&child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			parameter_take(telling, &child);
			break;
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

static bool copied_from(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute origin;

	return dwarf_attr(die, DW_AT_abstract_origin, &origin) && dwarf_formref_die(&origin, ret);
}

/* The DIE that @function is a copy of, which says what is common to all copies. */
static Dwarf_Die first_of(Dwarf_Die *function)
{
	Dwarf_Die at = *function, next;

	for (int i = 0; i < ORIGINS_MAX && copied_from(&at, &next); i++)
		at = next;
	return at;
}

void variables_each(struct variables *variables, Dwarf_Die *function, enum globals which,
		    bool (*each)(void *self, const struct variable *variable), void *self)
{
	struct telling telling = {.variables = variables, .each = each, .self = self};
	Dwarf_Die first = first_of(function), own = {0}, home = {0};
	const struct unit_variables *unit;

	telling.scratch = arena_create();
	dwarf_diecu(function, &own, NULL, NULL);
	dwarf_diecu(&first, &home, NULL, NULL);
	if (which != GLOBALS_NONE) {
		locals_tell(&telling, function, 0);
		if (first.addr != function->addr)
			locals_tell(&telling, &first, 0);
		unit = variable_store_unit(variables->store, function);
		if (unit)
			own_unit_tell(&telling, unit, own.addr, home.addr);
	}
	if (which == GLOBALS_ALL)
		all_units_tell(&telling);
	HASH_CLEAR(hh, telling.told);
	arena_destroy(telling.scratch);
}
