/*
 * What a function sees of the variables of its unit, or of all units. variable_store.c gathers
 * them; dwarf/location/thread_local.c locates thread-local ones.
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
	ORIGINS_MAX = 8, /* references from copy to original */
	BLOCKS_MAX = 32,
	BASES_MAX = 8, /* nesting of bases */
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

/* A name in use: by a variable already reported, or (without a place) by something else. */
struct taken {
	const char *expression;
	struct static_location place;
	bool external;
	UT_hash_handle hh;
};

struct report {
	struct variables *variables;
	struct arena *scratch;
	struct taken *taken;
	bool (*each)(void *self, const struct variable *variable);
	void *self;
	bool ended;
};

static struct taken *taken_find(const struct report *report, const char *expression)
{
	struct taken *taken;

	HASH_FIND_STR(report->taken, expression, taken);
	return taken;
}

static void taken_add(struct report *report, const char *expression,
		      const struct static_location *place, bool external)
{
	struct taken *taken = arena_new(report->scratch, struct taken);

	taken->expression = expression;
	taken->place = *place;
	taken->external = external;
	HASH_ADD_KEYPTR(hh, report->taken, taken->expression, strlen(expression), taken);
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

static void variable_report(struct report *report, const char *expression, Dwarf_Die *die,
			    const struct static_location *place, bool external)
{
	struct variable variable = {
		.expression = expression,
		.die = *die,
		.at = variable_locate(report->variables, place),
	};

	taken_add(report, expression, place, external);
	report->ended = !report->each(report->self, &variable);
}

/* `'file.c'::name`, as debuggers write it. */
static const char *other_expression(const struct variables *variables, struct unit_variable *entry)
{
	const char *file = entry->file ? basename(entry->file) : "?";

	if (!entry->other)
		entry->other = arena_printf(variables->arena, "'%s'::%s", file, entry->expression);
	return entry->other;
}

static void entry_report(struct report *report, struct unit_variable *entry)
{
	const struct taken *taken = taken_find(report, entry->expression);
	const char *expression = entry->expression;

	if (taken && ((taken->external && entry->external) ||
		      static_location_is_same(&taken->place, &entry->place)))
		return;
	if (taken)
		expression = other_expression(report->variables, entry);
	if (!taken || !taken_find(report, expression))
		variable_report(report, expression, &entry->die, &entry->place, entry->external);
}

/* Report the variables of the function's own unit, also those without a place. */
static void own_unit_report(struct report *report, const struct unit_variables *unit,
			    const void *own, const void *home)
{
	for (size_t i = 0; i < unit->n && !report->ended; i++) {
		struct unit_variable *entry = &unit->items[i];

		if (!entry->left_out && (entry->home == home || entry->home == own))
			entry_report(report, entry);
	}
}

static void all_units_report(struct report *report)
{
	struct variables *variables = report->variables;
	struct unit_cursor cursor = {0};

	while (!report->ended && die_walk_next_unit(variables->image, &cursor)) {
		const struct unit_variables *unit = NULL;

		if (!cursor.is_type)
			unit = variable_store_unit(variables->store, &cursor.die);
		for (size_t i = 0; unit && i < unit->n && !report->ended; i++) {
			struct unit_variable *entry = &unit->items[i];

			if (!entry->left_out && entry->place.kind != PLACE_NOWHERE)
				entry_report(report, entry);
		}
	}
}

static void name_take(struct report *report, const char *name)
{
	const struct static_location none = {.kind = PLACE_LOCAL};

	if (name && !taken_find(report, name))
		taken_add(report, name, &none, false);
}

/* Report a variable of the function if it is static, else its name is taken. */
static void local_report(struct report *report, Dwarf_Die *die, int depth)
{
	const char *name = dwarf_diename(die);
	struct static_location place;

	if (!variable_store_is_name(name) || die_flag(die, DW_AT_artificial) ||
	    taken_find(report, name) || !strcmp(name, "__func__") ||
	    !strcmp(name, "__PRETTY_FUNCTION__"))
		return;
	place = static_location(report->variables->image, die, "");
	if (place.kind == PLACE_ADDRESS || place.kind == PLACE_THREAD)
		variable_report(report, arena_strdup(report->variables->arena, name), die, &place,
				die_flag(die, DW_AT_external));
	else if (depth == 0 && !die_flag(die, DW_AT_external))
		name_take(report, name);
}

/* In a member function, names of members hide globals. */
static void members_take(struct report *report, Dwarf_Die *record, unsigned depth, unsigned *n)
{
	Dwarf_Die child;

	for (bool more = depth < BASES_MAX && die_first(record, &child); more;
	     more = die_next(&child)) {
		const int tag = dwarf_tag(&child);
		struct type base;

		if (++*n > MEMBERS_MAX)
			return;
		if (tag == DW_TAG_member || tag == DW_TAG_variable)
			name_take(report, dwarf_diename(&child));
		if (tag != DW_TAG_inheritance)
			continue;
		base = type_of(&child);
		if (base.kind == TYPE_RECORD)
			members_take(report, &base.die, depth + 1, n);
	}
}

static void parameter_take(struct report *report, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	struct type type = type_of(die);
	unsigned n = 0;

	name_take(report, name);
	if (!name || strcmp(name, "this") != 0 || type.kind != TYPE_POINTER)
		return;
	type = type_of(&type.die);
	if (type.kind == TYPE_RECORD)
		members_take(report, &type.die, 0, &n);
}

static void locals_report(struct report *report, Dwarf_Die *block, int depth)
{
	Dwarf_Die child;

	for (bool more = die_first(block, &child); more && !report->ended;
	     more = die_next(&child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			parameter_take(report, &child);
			break;
		case DW_TAG_variable:
			local_report(report, &child, depth);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (depth < BLOCKS_MAX)
				locals_report(report, &child, depth + 1);
			break;
		}
	}
}

static bool copied_from(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute origin;

	return dwarf_attr(die, DW_AT_abstract_origin, &origin) && dwarf_formref_die(&origin, ret);
}

/* The DIE that @function is a copy of, with what all copies share. */
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
	struct report report = {.variables = variables, .each = each, .self = self};
	Dwarf_Die first = first_of(function), own = {0}, home = {0};
	const struct unit_variables *unit;

	report.scratch = arena_create();
	dwarf_diecu(function, &own, NULL, NULL);
	dwarf_diecu(&first, &home, NULL, NULL);
	if (which != GLOBALS_NONE) {
		locals_report(&report, function, 0);
		if (first.addr != function->addr)
			locals_report(&report, &first, 0);
		unit = variable_store_unit(variables->store, function);
		if (unit)
			own_unit_report(&report, unit, own.addr, home.addr);
	}
	if (which == GLOBALS_ALL)
		all_units_report(&report);
	HASH_CLEAR(hh, report.taken);
	arena_destroy(report.scratch);
}
