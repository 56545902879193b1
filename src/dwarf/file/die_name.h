/*
 * Naming functions: from linkage names and DIEs to names as programmers write them.
 */
#pragma once

#include "elf_file.h"

/* What @linkage means, as C++ or Rust write it; NULL if it is not mangled. */
const char *die_name_demangle(const char *linkage, struct arena *arena);

struct die_naming {
	const char *name; /* canonical (core/cxx_name.h), with a clone's suffix */
	const char *linkage;
};

/*
 * The names of the function @die. @scope is what encloses the DIE ("ns::Class", or empty), for
 * functions of which no linkage name is known. @entry_addr: of its code, 0 if it has none. False:
 * it has no name.
 */
bool die_name(const struct elf_file *image, Dwarf_Die *die, const char *scope, uint64_t entry_addr,
	      struct arena *arena, struct die_naming *ret);
