/*
 * Global variables: what a function can see beside its parameters.
 */
#pragma once

#include "dwarf/file/request.h"
#include "dwarf/file/elf_file.h"
#include "dwarf/location/location.h"

struct variable {
	/*
	 * As a programmer writes it in the function: count, ns::count, Class::count,
	 * 'other.c'::count.
	 */
	const char *expression;
	Dwarf_Die die;      /* has the type */
	struct location at; /* LOCATION_MEMORY, or LOCATION_ABSENT with the reason */
};

/* What was found out about the variables of an image's units; kept, since functions share units. */
struct variables;

struct variables *variables_create(const struct elf_file *image, struct arena *arena);
void variables_destroy(struct variables *variables); /* NULL is fine */

/*
 * Call @each for the variables that the function @die can see: its own static ones, then those of
 * @which (GLOBALS_NONE: not even its own): global, file-static, of namespaces, static members of
 * classes, thread-local, in the order of the debug information, the function's unit first. Those
 * that are only declared in the unit are looked up in the symbol table. Left out is what cannot
 * vary (constants, and what lies in memory that is not writable), what compilers make, and what
 * belongs to the C++ library. Of other units only what has a place is told. It ends when @each
 * returns false. Texts live in the arena.
 */
void variables_each(struct variables *variables, Dwarf_Die *function, enum globals which,
		    bool (*each)(void *self, const struct variable *variable), void *self);
