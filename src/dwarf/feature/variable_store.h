/*
 * The variables of units that are not local to functions; found when a unit is first asked for, and
 * kept, since functions share units.
 */
#pragma once

#include "base/arena.h"
#include "static_location.h"

struct unit_variable {
	const char *expression; /* plain or qualified */
	const char *other;      /* what to call it where that is taken, NULL: not made yet */
	const char *file;       /* source of the unit that it is from, NULL: not known */
	const void *home;       /* the address of that unit's DIE */
	Dwarf_Die die;
	struct static_location place;
	bool external; /* other units can mean it by its name */
	bool left_out; /* it cannot vary */
};

struct unit_variables {
	struct unit_variable *items; /* in the order of the debug information */
	size_t n;
};

struct variable_store;

struct variable_store *variable_store_create(const struct elf_file *image, struct arena *arena);
void variable_store_destroy(struct variable_store *store); /* NULL is fine */

/* Those of the unit that has @die; NULL if it makes no sense. */
struct unit_variables *variable_store_unit(struct variable_store *store, Dwarf_Die *die);

/* Is it what programmers call a variable? Names that compilers make have blanks and brackets. */
bool variable_store_is_name(const char *name);
