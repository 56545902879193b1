/*
 * Roots: the variables from which features are reached. Private to features.h.
 */
#ifndef FATHOM_DWARF_ROOTS_H
#define FATHOM_DWARF_ROOTS_H

#include "dwarf/finder.h"

/* Push the parameters of the function @die, in their order. */
void roots_parameters(struct finder *finder, Dwarf_Die *die);

/* Push what it returns, as `return`. */
void roots_returned(struct finder *finder, Dwarf_Die *die);

/* Push those of @which global variables that are not pushed yet. */
void roots_globals(struct finder *finder, Dwarf_Die *die, enum globals which);

/* How many local variables it has that live in its frame. */
size_t roots_count_locals(Dwarf_Die *die);

#endif
