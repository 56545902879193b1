/*
 * The libraries that the loader would map for a program.
 *
 * Source: ld.so(8). The loader's cache is not read, only the configuration that it is built from.
 */
#pragma once

#include <libelf.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * The libraries that the ELF file @path, open as @elf, needs, those that these need, and so on, in
 * the loader's order, each once; paths live in @arena. Libraries not found are left out. Returns
 * the number.
 */
size_t needed_libraries(const char *path, Elf *elf, struct arena *arena, const char *const **ret);

/*
 * The file that the loader would open for library @name in the program @path, open as @elf; NULL if
 * none. A name with a slash is a path.
 */
const char *needed_libraries_locate(const char *path, Elf *elf, const char *name,
				    struct arena *arena);
