/*
 * The table of containers, with what users add to fathom's own.
 */
#pragma once

#include "base/err.h"
#include "dwarf/written/container_table.h"

/*
 * fathom's own, with the file ~/.config/fathom/containers (or in $XDG_CONFIG_HOME) if there is one,
 * and @path (NULL: none) before it. The caller frees *@ret with container_table_destroy(). ERR_IO,
 * ERR_FORMAT.
 */
bool container_files_read(const char *path, struct container_table **ret, struct err *err);
