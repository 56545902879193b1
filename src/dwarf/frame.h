/*
 * Frames: the CFA and the frame base of a function at one address.
 */
#ifndef FATHOM_DWARF_FRAME_H
#define FATHOM_DWARF_FRAME_H

#include "dwarf/image.h"
#include "dwarf/location.h"

/*
 * The frame of the function @die at @addr. False: there is no usable CFA, and *@ret_why is a phrase that says why.
 */
bool frame_init(const struct image *image, Dwarf_Die *die, uint64_t addr, bool at_entry,
		struct arena *arena, struct frame *ret, const char **ret_why);

#endif
