/*
 * Small answers about DIEs, none of which can hang on input that lies.
 */
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct function;
struct elf_file;

/* The value of a flag, through abstract origins and specifications; false if it is not there. */
bool die_flag(Dwarf_Die *die, unsigned attribute);

/*
 * An unsigned constant, through abstract origins and specifications. False: not there, or no
 * constant.
 */
bool die_number(Dwarf_Die *die, unsigned attribute, uint64_t *ret);

/* The name that the linker knows, NULL if the DIE does not tell. */
const char *die_linkage(Dwarf_Die *die);

/*
 * The path of the source file whose number @attribute is (DW_AT_decl_file, DW_AT_call_file); NULL
 * if not known.
 */
const char *die_file(Dwarf_Die *die, unsigned attribute);

/* The DIE that @attribute of @die refers to. */
bool die_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret);

/*
 * To go through children: `for (bool more = die_first(parent, &child); more; more =
 * die_next(&child))`. It ends: children's offsets grow.
 */
bool die_first(Dwarf_Die *parent, Dwarf_Die *ret);
bool die_next(Dwarf_Die *die);

/*
 * The ranges of the function @die that are code of @image, sorted, and its entry address. False: it
 * has none here (the linker dropped it, or there never was code).
 */
bool die_ranges(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
		struct function *ret);
