/*
 * The probe address: where a call is noticed and its parameters are read.
 */
#pragma once

#include "function_code.h"

/*
 * The address at which most parameters of the function @die have a location that holds their value.
 *
 * Where the compiler keeps parameters in frame slots, the prologue fills those, and the address
 * lies past it. Where parameters have location lists, or stay in registers or in their caller's
 * frame, it is the first address of the code before the first branch or call at which most of them
 * can be read, often the entry. A function may have both. Without parameters it is the entry.
 */
uint64_t probe_address(const struct elf_file *image, struct insn_decoder *decoder, Dwarf_Die *die,
		       const struct function *function);

/*
 * Does the probe address of @function lie before its slots are filled, because more parameters can
 * be read there? Then frame's `unfilled` must be true, so that no slot is read.
 */
bool probe_address_before_slots(const struct elf_file *image, struct insn_decoder *decoder,
				Dwarf_Die *die, const struct function *function);
