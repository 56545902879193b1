/* Where a thread's copy of a module's thread-local objects is. */
#pragma once

#include "dwarf/file/elf_file.h"
#include "location.h"

/*
 * The steps that leave the address of the thread-local object at @offset in the module's block. Of
 * the executable that is a distance from fs.base; of a library, what the dynamic thread vector says
 * for the module number that the loader has put at the module's R_X86_64_DTPMOD64 relocation.
 * LOCATION_ABSENT if the module has none. Source: ELF Handling For Thread-Local Storage, variant
 * II.
 */
void thread_local_locate(const struct elf_file *image, uint64_t offset, struct location *ret);
