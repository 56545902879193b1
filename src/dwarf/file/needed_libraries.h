/*
 * Libraries: the files that the loader would map for a program.
 *
 * Source: ld.so(8); the cache of the loader is not read, but what it is made from.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"

/*
 * The libraries that the ELF file @path needs, those that these need, and so on, in the loader's
 * order, each once; paths live in @arena. What is not found is left out. Returns how many.
 */
size_t needed_libraries(const char *path, struct arena *arena, const char *const **ret);

/*
 * The file that the loader would open for a library called @name in the program @path; NULL if
 * there is none. With a slash, the name is a path.
 */
const char *needed_libraries_locate(const char *path, const char *name, struct arena *arena);
