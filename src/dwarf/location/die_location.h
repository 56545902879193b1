/* Locations of parameters and variables. */
#pragma once

#include "location.h"

/*
 * The location that the parameter @die has at @frame's address, as DW_AT_location or
 * DW_AT_const_value says.
 */
void die_location(Dwarf_Die *die, const struct frame_base *frame, struct arena *arena,
		  struct location *ret);
