/*
 * Names of functions as programmers write them, from linkage names and DIEs.
 */
#pragma once

#include "elf_file.h"

/* @linkage demangled (C++ or Rust), in @arena; NULL if it is not mangled. */
const char *die_name_demangle(const char *linkage, struct arena *arena);

struct die_naming {
	const char *name; /* canonical (core/cxx_name.h), with the suffix of a clone */
	const char *linkage;
};

/*
 * The names of the function @die. @scope encloses the DIE ("ns::Class", or empty); it qualifies
 * functions without a linkage name. @entry_addr: of its code, 0 if none. False: the function has no
 * name.
 */
bool die_name(const struct elf_file *image, Dwarf_Die *die, const char *scope, uint64_t entry_addr,
	      struct arena *arena, struct die_naming *ret);
