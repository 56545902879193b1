/*
 * Rows of call frame information, compiled into plans.
 */
#pragma once

#include "core/plan/unwind.h"
#include "dwarf/file/elf_file.h"

/* The row valid at the link-time address @addr; plans and texts live in @arena. */
void unwind_row_compile(const struct elf_file *image, uint64_t addr, struct arena *arena,
			struct unwind_row *ret);
