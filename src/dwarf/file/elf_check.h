/*
 * Checks of an ELF file before anything else is done with it.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>

#include "base/err.h"

/*
 * Is the file an x86-64 executable or shared library, and are its sections within it? Texts start
 * with
 * @path; ERR_FORMAT ones name the offset where it is known.
 */
bool elf_check_file(const char *path, int fd, struct err *err);

bool elf_check_has_section(Elf *elf, const char *name);
