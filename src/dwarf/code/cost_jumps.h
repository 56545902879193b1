/*
 * Where cost functions jump out of themselves, and to what: their calls go on there.
 */
#pragma once

#include "cost_symbols.h"
#include "dwarf/file/elf_file.h"

/*
 * Of the @n functions at @list, all those of @image that are wanted: forget jumps to another one of
 * them, also by way of the linker's table, as the exits of that one end the call; and mark those to
 * memset(). Changes what their `jumps` point to, which must be writable.
 */
void cost_jumps_resolve(const struct elf_file *image, struct insn_decoder *decoder,
			struct cost_function *list, size_t n);
