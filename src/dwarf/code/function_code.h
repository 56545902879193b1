/*
 * What a function's instructions say about its exits and branches.
 */
#pragma once

#include "dwarf/file/die.h"
#include "jump_sites.h"

/*
 * Find the exits of @function, whose ranges and probe address are known; its conditional branches
 * within it, with source lines from the unit of @die (NULL: none); whether a branch leads to the
 * probe address; and the jump sites of all of these. *@ret_undecoded: the number of bytes that are
 * not valid instructions.
 */
void function_code_exits(const struct code_source *code, Dwarf_Die *die, struct arena *arena,
			 struct function *function, uint64_t *ret_undecoded);

/*
 * For each of the @n sorted @calls, which are direct ones in @caller if they are instructions: the
 * site of the landing behind it, without a gap; all 0: it is no call. Only the ranges and the
 * entry of @caller are used.
 */
void function_code_landings(const struct code_source *code, const struct function *caller,
			    const uint64_t *calls, size_t n, struct jump_site *ret);

/*
 * The end of the straight-line code of @function from @addr on: the first branch, call or return
 * ends there or starts there.
 */
uint64_t function_code_straight_end(const struct elf_file *image, struct insn_decoder *decoder,
				    const struct function *function, uint64_t addr);
