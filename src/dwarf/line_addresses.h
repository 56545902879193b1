/* From a place in the source to the addresses of its code. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "dwarf/file/elf_file.h"

struct line {
	const char *file; /* a path, or the end of one */
	unsigned number;
};

struct line_places {
	const uint64_t *addrs; /* [n] link-time, sorted */
	size_t n;
};

/* Do the line tables of @image name @file? */
bool line_addresses_has(const struct elf_file *image, const char *file);

/*
 * Where the statements of @line begin in @image, the file @path: the first row of each run of rows,
 * but not of code that was moved away from its statement, unless there is nothing else. Errors as
 * below.
 */
bool line_addresses_of(const struct elf_file *image, const char *path, const struct line *line,
		       struct arena *arena, struct line_places *ret, struct err *err);

/*
 * Where each run of code of @line of @file begins in the executable @path, in all units and inlined
 * copies, by address: [*@ret_n] link-time addresses in @arena, at least one. @file is a path or the
 * end of one. @debuginfo_path: see struct catalogue_request. ERR_NOT_FOUND: there is no code of
 * that line, with the next that has some; errors of opening the file.
 */
bool line_addresses_find(const char *path, const char *debuginfo_path, const char *file,
			 unsigned line, struct arena *arena, const uint64_t **ret, size_t *ret_n,
			 struct err *err);
