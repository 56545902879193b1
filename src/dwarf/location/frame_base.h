/*
 * Frames: the CFA and the frame base of a function at one address.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "location.h"

/*
 * The CFA alone, at @addr. False: there is no usable one, and *@ret_why is a phrase that says why.
 */
bool frame_base_cfa(const struct elf_file *image, uint64_t addr, struct arena *arena,
		    struct frame_base *ret, const char **ret_why);

/* The frame of the function @die at @addr. False as above. */
bool frame_base_init(const struct elf_file *image, Dwarf_Die *die, uint64_t addr,
		     struct arena *arena, struct frame_base *ret, const char **ret_why);

/*
 * The offset from the CFA of the slot that @op, a DW_OP_fbreg, is about. False: it is another
 * operator, or the base is not known in terms of the CFA.
 */
bool frame_base_slot_offset(const struct frame_base *frame, const Dwarf_Op *op, int64_t *ret);

/*
 * Split steps of the form "register plus number", which frames mostly have. False: they are others.
 */
bool frame_base_register_offset(const struct steps *steps, unsigned *ret_reg, int64_t *ret_offset);
