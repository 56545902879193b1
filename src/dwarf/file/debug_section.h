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
	bool unreadable; /* it is there, and its bytes cannot be had */
};

/*
 * The section called ".debug_" and @name, ".dwo" behind it or not, compressed or not; an empty one
 * if there is none.
 */
struct debug_section debug_section_get(Dwarf *dwarf, const char *name);

/*
 * The bytes of the unit whose DIE is @unit, header included, if @section holds them. False: it does
 * not, or they cannot be told.
 */
bool debug_section_unit(const struct debug_section *section, Dwarf_Die *unit,
			struct debug_section *ret);

/* Do abbreviations have forms with which a DIE refers to one of another unit? In doubt, yes. */
bool debug_section_has_references(Dwarf *dwarf);
