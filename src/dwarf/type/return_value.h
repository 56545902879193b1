/*
 * Where a function leaves its return value.
 *
 * Source: System V x86-64 psABI, section 3.2.3.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "dwarf/location/location.h"

/*
 * The location of the return value of the function @die at the instruction after the call (and at a
 * ret). Objects in memory are where rax points. LOCATION_ABSENT has a reason: in st(0), possibly
 * dropped by the compiler, … False: it returns nothing.
 */
bool return_value_locate(const struct elf_file *image, Dwarf_Die *die, struct arena *arena,
			 struct location *ret);
