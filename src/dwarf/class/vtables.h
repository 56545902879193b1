/*
 * The vtables of an image, and the classes that they are of, as the symbol table tells them.
 */
#pragma once

#include "core/class_type.h"
#include "dwarf/file/elf_file.h"

struct vtable_symbol {
	uint64_t low_addr, high_addr;
	const char *class_name; /* canonical */
	const char *loose_name; /* the same as far as mangled names and DWARF agree, private */
};

/* The vtables, sorted by address, none overlapping another. */
struct vtables {
	struct vtable_symbol *items;
	size_t n;
};

void vtables_init(struct vtables *vtables, const struct elf_file *image, struct arena *arena);
void vtables_deinit(struct vtables *vtables);

/*
 * The name by which the vtables know the class that DWARF calls @name and describes in @die:
 * mangled names write template arguments (5u, (char)97) and functions (f(int)::Local) in another
 * way. NULL: no vtable is of it, or it is not sure which.
 */
const char *vtables_class(const struct vtables *vtables, const char *name, Dwarf_Die *die,
			  struct arena *arena);
