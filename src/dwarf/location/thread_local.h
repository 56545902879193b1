/* Where a thread's copy of a thread-local object is. */
#pragma once

#include "dwarf/file/elf_file.h"
#include "location.h"

/*
 * The steps that leave the address of the thread-local object at @offset in the module's block. In
 * the executable, a distance from fs.base; in a library, looked up in the dynamic thread vector by
 * the module number that the loader stores at the module's R_X86_64_DTPMOD64 relocation.
 * LOCATION_ABSENT if the module has none. Source: ELF Handling For Thread-Local Storage, variant
 * II.
 */
void thread_local_locate(const struct elf_file *image, uint64_t offset, struct location *ret);
