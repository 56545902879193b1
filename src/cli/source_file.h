/* Where a source file is that debug information names. */
#pragma once

#include <stdbool.h>

#include "base/arena.h"

/*
 * The path of @file, a regular file, in @arena; NULL: it is not here. A relative one starts at the
 * folder where the compiler ran, which @program (NULL: unknown) tells; the file may also have moved
 * along with the program, to its folder or one above it.
 */
const char *source_file_find(struct arena *arena, const char *file, const char *program);

/* Its text; NULL: it cannot be read, or is longer than sources are. The caller frees it. */
char *source_file_read(const char *path);
