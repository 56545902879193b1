/*
 * Where static variables live.
 */
#pragma once

#include "core/value.h"
#include "dwarf/file/elf_file.h"

enum place_kind {
	PLACE_ADDRESS, /* link-time; the memory is writable */
	PLACE_THREAD,  /* offset in the module's thread-local block */
	PLACE_NOWHERE, /* unreadable: see `absence` and `why` */
	PLACE_LOCAL,   /* not a static variable */
	PLACE_FIXED,   /* constant, or dropped by the linker */
};

struct static_location {
	enum place_kind kind;
	uint64_t value; /* the address or the offset */
	enum absence absence;
	const char *why;
};

/*
 * The place of the variable @die: by its location, or if it is only declared, by the symbol table.
 * @scope encloses it ("ns::Class", or empty).
 */
struct static_location static_location(const struct elf_file *image, Dwarf_Die *die,
				       const char *scope);

bool static_location_is_same(const struct static_location *a, const struct static_location *b);
