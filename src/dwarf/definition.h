/*
 * Definitions of types that a unit only declares.
 */
#ifndef FATHOM_DWARF_DEFINITION_H
#define FATHOM_DWARF_DEFINITION_H

#include "dwarf/image.h"
#include "dwarf/type_names.h"

/* Definitions that were looked for in an image, found or not. */
struct definitions;

/* @names is borrowed while the definitions live. */
struct definitions *definitions_create(const struct image *image, struct type_names *names);
void definitions_destroy(struct definitions *definitions); /* NULL is fine */

/*
 * The definition of the structure, class, union or enumeration that @declaration declares, in any
 * unit: one with the same tag kind, name and scope. False: there is none.
 */
bool definitions_find(struct definitions *definitions, Dwarf_Die *declaration, Dwarf_Die *ret);

#endif
