/*
 * What compilers put before a function's own code for others to hook into: a call of __fentry__
 * (-mfentry), XRay's sled.
 *
 * Both keep all registers, so that parameters are behind them where the ABI has them at the entry.
 * clang says so of the addresses from there on only.
 */
#pragma once

#include "dwarf/file/elf_file.h"
#include "dwarf/file/die.h"

/*
 * Where the own code of the function @die begins, whose first instruction is at @entry: behind the
 * hook; @entry if there is none.
 */
uint64_t entry_hook_end(const struct elf_file *image, Dwarf_Die *die, uint64_t entry);
