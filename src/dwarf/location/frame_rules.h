/*
 * The rules of call frame information for one address: how to find the CFA and the caller's
 * registers there. Read by libdw, in bounded memory.
 */
#pragma once

#include "dwarf/file/elf_file.h"

/* From .eh_frame, else from .debug_frame; NULL: neither has any. The caller frees them. */
Dwarf_Frame *frame_rules_find(const struct elf_file *image, uint64_t addr);
