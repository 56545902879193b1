/*
 * Code: what a function's instructions say about how calls end.
 */
#pragma once

#include "core/catalogue/insn.h"
#include "dwarf/file/die.h"
#include "dwarf/file/elf_file.h"

/*
 * Find the exits of @function, whose ranges and probe address are known, its conditional branches
 * within it, with the source lines that the unit of @die (NULL: none) says, and whether a branch
 * leads to the probe address. *@ret_undecoded is the number of bytes that are no instructions.
 */
void function_code_exits(const struct elf_file *image, struct insn_decoder *decoder, Dwarf_Die *die,
			 struct arena *arena, struct function *function, uint64_t *ret_undecoded);

/*
 * The end of the code that runs in a row from the entry: behind it, or at it, is the first
 * transfer.
 */
uint64_t function_code_straight_end(const struct elf_file *image, struct insn_decoder *decoder,
				    const struct function *function);
