/*
 * Global variables: what a function can see besides its parameters.
 */
#pragma once

#include "dwarf/file/request.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/location/location.h"

struct variable {
	/* As written in the function: count, ns::count, Class::count, 'other.c'::count. */
	const char *expression;
	Dwarf_Die die;      /* has the type */
	struct location at; /* LOCATION_MEMORY, or LOCATION_ABSENT with the reason */
};

/* Cache of the variables of an image's units, since functions share units. */
struct variables;

struct variables *variables_create(const struct elf_file *image, struct arena *arena);
void variables_destroy(struct variables *variables); /* NULL is fine */

/*
 * Call @each for the variables that the function @die can see: its own static ones, then those of
 * @which (GLOBALS_NONE: not even its own): global, file-static, of namespaces, static members of
 * classes, thread-local, in the order of the debug information, the function's unit first. Those
 * only declared in the unit are looked up in the symbol table. Left out: what cannot vary
 * (constants, read-only memory), what compilers make, the C++ library's, and those of other units
 * without a place. Stops when @each returns false. Texts live in the arena of variables_create().
 */
void variables_each(struct variables *variables, Dwarf_Die *function, enum globals which,
		    bool (*each)(void *self, const struct variable *variable), void *self);
