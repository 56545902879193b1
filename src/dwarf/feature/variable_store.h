/*
 * A unit's variables that are not local to functions; found on the first request, and kept, since
 * functions share units.
 */
#pragma once

#include "base/arena.h"
#include "static_location.h"

struct unit_variable {
	const char *expression; /* plain or qualified */
	const char *other;      /* its name where that is taken, NULL: not made yet */
	const char *file;       /* source of its unit, NULL: unknown */
	const void *home;       /* address of that unit's DIE */
	Dwarf_Die die;
	struct static_location place;
	bool external; /* other units can refer to it by name */
	bool left_out; /* it cannot vary */
};

struct unit_variables {
	struct unit_variable *items; /* in the order of the debug information */
	size_t n;
};

struct variable_store;

struct variable_store *variable_store_create(const struct elf_file *image, struct arena *arena);
void variable_store_destroy(struct variable_store *store); /* NULL is fine */

/* The variables of the unit that contains @die; NULL if malformed. */
struct unit_variables *variable_store_unit(struct variable_store *store, Dwarf_Die *die);

/* Is @name a programmer's? Compilers make names with blanks and brackets. */
bool variable_store_is_name(const char *name);
