/*
 * Where a function leaves what it returns.
 *
 * Source: System V x86-64 psABI, section 3.2.3.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "dwarf/location/location.h"

/*
 * The location of the value that the function @die returns, at the instruction behind the call (and
 * at a ret). Objects in memory are where rax points to. LOCATION_ABSENT says why it cannot be read:
 * it is in st(0), the compiler may have dropped it, … False: it returns nothing.
 */
bool return_value_locate(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
			 struct location *ret);
