/*
 * Where exceptions continue, from .eh_frame and the language-specific data areas
 * (.gcc_except_table) that it refers to. Also says where functions and their parts begin, even if
 * they have no symbols.
 *
 * Sources: Linux Standard Base 5.0, Core, section 10.6 (.eh_frame); the areas' layout is that of
 * libgcc's unwind-pe.h and libstdc++'s eh_personality.cc.
 */
#pragma once

#include "dwarf/file/elf_file.h"

/* Functions and their parts, in @arena, by address; no two overlap. Returns their number. */
size_t exception_table_parts(const struct elf_file *image, struct arena *arena,
			     const struct address_range **ret);

/* Bytes of the function, or part of one, that begins at @addr; 0: unknown. */
uint64_t exception_table_size(const struct elf_file *image, uint64_t addr);

/*
 * Call @see with the address of each landing pad and of each beginning. False: there is something
 * that is not understood, so landing pads may be missing. Only the ELF part of @image is needed.
 */
bool exception_table_read(const struct elf_file *image, void (*see)(void *self, uint64_t addr),
			  void *self);
