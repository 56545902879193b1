/*
 * Attributes, children and code ranges of single DIEs. No function here can loop forever on
 * malformed input.
 */
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct address_range;
struct arena;
struct function;
struct elf_file;

/* A flag's value, through abstract origins and specifications; false if absent. */
bool die_flag(Dwarf_Die *die, unsigned attribute);

/*
 * An unsigned constant, through abstract origins and specifications. False: absent, or not a
 * constant.
 */
bool die_number(Dwarf_Die *die, unsigned attribute, uint64_t *ret);

/* The linkage name, NULL if the DIE has none. */
const char *die_linkage(Dwarf_Die *die);

/*
 * The path of the source file whose number @attribute is (DW_AT_decl_file, DW_AT_call_file); NULL
 * if unknown. libdw owns it.
 */
const char *die_file(Dwarf_Die *die, unsigned attribute);

/* The DIE that @attribute of @die refers to. */
bool die_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret);

/*
 * Iterate over children: `for (bool more = die_first(parent, &child); more; more =
 * die_next(&child))`. It terminates, since children's offsets must grow.
 */
bool die_first(Dwarf_Die *parent, Dwarf_Die *ret);
bool die_next(Dwarf_Die *die);

/*
 * Set *@ret to where calls of the function @die enter. Where it is in several parts, as gcc's with
 * a cold one are, that is the start of the first (DWARF 5, 2.18; dwarf_entrypc() knows none).
 */
bool die_entry(Dwarf_Die *die, Dwarf_Addr *ret);

/* The unit with the code at @addr, also without an index (.debug_aranges): clang writes none. */
bool die_unit_at(const struct elf_file *image, uint64_t addr, Dwarf_Die *ret);

/* Clip the range to its section; false if it contains no code. */
bool die_range_clamp(const struct elf_file *image, struct address_range *range);

/*
 * Sort @ranges, [n], and make one of those that overlap: in broken files only, where exits would
 * count twice. Returns how many there are then.
 */
size_t die_ranges_merge(struct address_range *ranges, size_t n);

/*
 * Set @ret's ranges, those of the function @die that are code of @image, sorted (in @arena), and
 * its entry address. False: it has no code here (dropped by the linker, or never generated).
 */
bool die_ranges(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
		struct function *ret);
