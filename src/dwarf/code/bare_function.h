/*
 * Functions that neither debug information nor a symbol describes: .eh_frame has their parts, and
 * the jumps between these say which are of one function.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "dwarf/file/elf_file.h"

/*
 * Set the ranges, in @arena, and the entry of @ret, the function that has the code at @addr. False:
 * there is no call frame information of it.
 */
bool bare_function_find(const struct elf_file *image, uint64_t addr, struct arena *arena,
			struct function *ret);
