/*
 * Types by the names that users write, and where a class has its bases.
 */
#pragma once

#include "complete_type.h"
#include "dwarf/file/elf_file.h"

/* Where types are looked for. */
struct type_lookup {
	const struct elf_file *image;
	struct type_definitions *definitions;
	struct type_names *names;
};

/*
 * The type @name ("unsigned long", "struct node", "ns::Node", a typedef), for the function @die: of
 * its unit, else of any unit of its module. Numbers of C have no DIE then. False: there is none.
 */
bool type_lookup_find(const struct type_lookup *lookup, Dwarf_Die *die, const char *name,
		      struct type *ret);

/*
 * The offset of the base class @base in objects of class @derived. False: it is none, or a virtual
 * one, whose offset depends on the object.
 */
bool type_lookup_base(const struct type_lookup *lookup, const struct type *derived,
		      const struct type *base, uint64_t *ret);
