/*
 * The bytes of debug sections, and of single units, as libdw has read (and decompressed) them.
 */
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_section {
	const uint8_t *bytes; /* NULL if there are none */
	size_t n;
	bool unreadable; /* it exists, but its bytes cannot be read */
};

/*
 * The section ".debug_@name" or ".debug_@name.dwo", compressed or not; an empty one if there is
 * none.
 */
struct debug_section debug_section_get(Dwarf *dwarf, const char *name);

/*
 * The bytes of the unit whose DIE is @unit, header included. False: @section does not contain them,
 * or the unit's extent is unknown.
 */
bool debug_section_unit(const struct debug_section *section, Dwarf_Die *unit,
			struct debug_section *ret);

/* Do abbreviations use forms that refer to DIEs of other units? In doubt, yes. */
bool debug_section_has_references(Dwarf *dwarf);
