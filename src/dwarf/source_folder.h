/* From a source file's name in debug information to where the compiler read it. */
#pragma once

#include "base/arena.h"

/*
 * The path, in @arena, of the file that a unit of @program calls @file, which is relative: it
 * starts at the folder where the unit was compiled (DW_AT_comp_dir). NULL: no unit has such a name,
 * or the file is not there any more.
 */
const char *source_folder_find(const char *program, const char *file, struct arena *arena);
