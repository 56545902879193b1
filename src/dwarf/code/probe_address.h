/*
 * The probe address: where calls are counted and their parameters read.
 */
#pragma once

#include "function_code.h"

/*
 * The address at which most parameters of the function @die can be read.
 *
 * Parameters in frame slots are readable after the prologue that fills the slots. Parameters in
 * registers, in the caller's frame, or with location lists are read at the first address before the
 * first branch or call at which most of them are available, often the entry. A function may have
 * both kinds. Without parameters it is the entry.
 */
uint64_t probe_address(const struct elf_file *image, struct insn_decoder *decoder, Dwarf_Die *die,
		       const struct function *function);

/*
 * Does @function's probe address precede the filling of its slots, because more parameters can be
 * read there? If so, set the frame's `unfilled`, so that no slot is read.
 */
bool probe_address_before_slots(const struct elf_file *image, struct insn_decoder *decoder,
				Dwarf_Die *die, const struct function *function);
