/*
 * Debuginfod servers, which libdw asks for debug information that no folder has. While one does not
 * answer the user is told whom it is that keeps him waiting, and SIGINT goes on without.
 */
#pragma once

#include <elfutils/libdwfl.h>

/* What tells that @urls are asked about the file @path; NULL: nothing does. For all threads. */
void debug_servers_tell_by(void (*tell)(const char *urls, const char *path));

/* As dwfl_module_getdwarf(). */
Dwarf *debug_servers_getdwarf(Dwfl *dwfl, Dwfl_Module *module, const char *path, Dwarf_Addr *bias);
