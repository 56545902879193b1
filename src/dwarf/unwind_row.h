/*
 * Rows of call frame information, compiled into plans.
 */
#ifndef FATHOM_DWARF_UNWIND_ROW_H
#define FATHOM_DWARF_UNWIND_ROW_H

#include "core/unwind.h"
#include "dwarf/image.h"

/* The row that holds at the link-time address @addr; plans and texts live in @arena. */
void unwind_row_compile(const struct elf_file *image, uint64_t addr, struct arena *arena,
			struct unwind_row *ret);

#endif
