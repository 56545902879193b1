/* Locations of parameters and variables. */
#pragma once

#include "location.h"

/*
 * The location of the parameter or variable @die at @frame's address, by DW_AT_location or
 * DW_AT_const_value; texts live in @arena.
 */
void die_location(Dwarf_Die *die, const struct frame_base *frame, struct arena *arena,
		  struct location *ret);

/*
 * Where the parameter @die was when @frame's function was called: in a register, that of the call
 * (PLAN_ENTRY). False: elsewhere, or the frame has no caller.
 */
bool die_location_at_call(Dwarf_Die *die, const struct frame_base *frame, struct location *ret);
