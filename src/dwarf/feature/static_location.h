/*
 * Places: where variables that are not on the stack live, told in a few words of memory.
 */
#pragma once

#include "core/value.h"
#include "dwarf/file/elf_file.h"

enum place_kind {
	PLACE_ADDRESS, /* link-time, and the memory there can be written */
	PLACE_THREAD,  /* at an offset in the module's thread-local block */
	PLACE_NOWHERE, /* `absence` and `why` say why */
	PLACE_LOCAL,   /* it is no static variable */
	PLACE_FIXED,   /* it cannot vary, or the linker dropped it */
};

struct static_location {
	enum place_kind kind;
	uint64_t value; /* the address or the offset */
	enum absence absence;
	const char *why;
};

/*
 * The place of the variable @die: by its location, or, if it is only declared here, by the symbol
 * table. @scope is what encloses it ("ns::Class", or empty).
 */
struct static_location static_location(const struct elf_file *image, Dwarf_Die *die,
				       const char *scope);

bool static_location_is_same(const struct static_location *a, const struct static_location *b);
