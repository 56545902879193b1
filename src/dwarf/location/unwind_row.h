/*
 * Rows of call frame information, compiled into plans.
 */
#pragma once

#include "core/plan/unwind.h"
#include "dwarf/file/elf_file.h"
#include "location.h"

/* The row valid at the link-time address @addr; plans and texts live in @arena. */
void unwind_row_compile(const struct elf_file *image, uint64_t addr, struct arena *arena,
			struct unwind_row *ret);

/* @at's 8 bytes as a plan, whose steps are in @arena; without steps if plans cannot express it. */
void unwind_row_plan(struct location *at, struct arena *arena, struct read_plan *ret);
