/*
 * What the program calls a place in a static variable: "table[3].lock".
 */
#pragma once

#include "base/arena.h"
#include "dwarf/file/elf_file.h"

/*
 * The expression, in @arena, for the byte @offset behind the link-time address @addr, where a
 * variable begins; @whole: the outermost object that begins there, else the innermost. NULL: no
 * debug information has that variable, or that byte of it.
 */
const char *variable_path_find(const struct elf_file *image, uint64_t addr, uint64_t offset,
			       bool whole, struct arena *arena);
