/*
 * The vtables of an image and their classes, by the symbol table.
 */
#pragma once

#include "core/class_type.h"
#include "dwarf/file/elf_file.h"
#include "tags.h"

struct vtable_symbol {
	uint64_t low_addr, high_addr;
	const char *class_name; /* canonical */
	const char *loose_name; /* the part on which mangled names and DWARF agree, private */
};

/* The vtables, and tags, sorted by address, none overlapping another. */
struct vtables {
	struct vtable_symbol *items;
	size_t n;
};

void vtables_init(struct vtables *vtables, const struct elf_file *image, const struct tags *tags,
		  struct arena *arena);
void vtables_deinit(struct vtables *vtables);

/*
 * The vtables' name of the class that DWARF calls @name and describes in @die: mangled names write
 * template arguments (5u, (char)97) and functions (f(int)::Local) differently. NULL: no vtable, or
 * ambiguous.
 */
const char *vtables_class(const struct vtables *vtables, const char *name, Dwarf_Die *die,
			  struct arena *arena);
