/* Debug information for an executable without shared libraries. */
#pragma once

#include <elfutils/libdwfl.h>

/* As dwfl_standard_find_debuginfo(), but servers are asked by the machine's `debuginfod-find`. */
int static_debuginfo_find(Dwfl_Module *module, void **data, const char *name, GElf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **ret);

void *static_debuginfo_no_library(const char *path, int flags);
