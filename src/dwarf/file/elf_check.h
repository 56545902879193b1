/*
 * Checks of an ELF file before libdw or anything else reads it.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>

#include "base/err.h"

/*
 * Is the file an x86-64 executable or shared library whose sections lie within it? Error texts
 * start with @path. Errors: ERR_FORMAT (not ELF, broken; names the offset where known),
 * ERR_UNSUPPORTED (another machine or kind of file), ERR_IO. *@ret_zstd is what
 * elf_check_has_zstd() says of it.
 */
bool elf_check_file(const char *path, int fd, bool *ret_zstd, struct err *err);

bool elf_check_has_section(Elf *elf, const char *name);

enum { ELF_CHECK_ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older <elf.h> lack */

/* Is a section compressed with zstd, which elfutils before 0.189 cannot read? */
bool elf_check_has_zstd(Elf *elf);
