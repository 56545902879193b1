/*
 * Finds definitions of types that a unit only declares.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "type_names.h"

/* Cache of an image's definitions, found or not. */
struct type_definitions;

/* @names is borrowed while the definitions live. */
struct type_definitions *type_definitions_create(const struct elf_file *image,
						 struct type_names *names);
void type_definitions_destroy(struct type_definitions *definitions); /* NULL is fine */

/*
 * The definition, in any unit, of the structure, class, union or enumeration that @declaration
 * declares: same tag kind, name and scope. False: none.
 */
bool type_definitions_find(struct type_definitions *definitions, Dwarf_Die *declaration,
			   Dwarf_Die *ret);

/*
 * Are two definitions, of types with one name, of the same size and from the same place in the
 * source, as those of several units are?
 */
bool type_definitions_are_same(Dwarf_Die *a, Dwarf_Die *b);
