/*
 * Definitions of types that a unit only declares.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "type_names.h"

/* Definitions that were looked for in an image, found or not. */
struct type_definitions;

/* @names is borrowed while the definitions live. */
struct type_definitions *type_definitions_create(const struct elf_file *image,
						 struct type_names *names);
void type_definitions_destroy(struct type_definitions *definitions); /* NULL is fine */

/*
 * The definition of the structure, class, union or enumeration that @declaration declares, in any
 * unit: one with the same tag kind, name and scope. False: there is none.
 */
bool type_definitions_find(struct type_definitions *definitions, Dwarf_Die *declaration,
			   Dwarf_Die *ret);
