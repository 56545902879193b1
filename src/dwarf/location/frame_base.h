/*
 * The CFA and the frame base of a function at one address.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "location.h"

/* Only the CFA, at @addr. False: not usable; *@ret_why is a phrase with the reason. */
bool frame_base_cfa(const struct elf_file *image, uint64_t addr, struct arena *arena,
		    struct frame_base *ret, const char **ret_why);

/* CFA and frame base of the function @die at @addr. False as above. */
bool frame_base_init(const struct elf_file *image, Dwarf_Die *die, uint64_t addr,
		     struct arena *arena, struct frame_base *ret, const char **ret_why);

/*
 * The offset from the CFA of the slot of @op, a DW_OP_fbreg. False: another operator, or the base
 * is unknown in terms of the CFA.
 */
bool frame_base_slot_offset(const struct frame_base *frame, const Dwarf_Op *op, int64_t *ret);

/* Split steps "register plus number", the common form of a frame. False: other steps. */
bool frame_base_register_offset(const struct steps *steps, unsigned *ret_reg, int64_t *ret_offset);
