/* From a place in the source to the addresses of its code. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/*
 * Where each run of code of @line of @file begins in the executable @path, in all units and inlined
 * copies, by address: [*@ret_n] link-time addresses in @arena, at least one. @file is a path or the
 * end of one. @debuginfo_path: see struct catalogue_request. ERR_NOT_FOUND: there is no code of
 * that line, with the next that has some; errors of opening the file.
 */
bool line_addresses_find(const char *path, const char *debuginfo_path, const char *file,
			 unsigned line, struct arena *arena, const uint64_t **ret, size_t *ret_n,
			 struct err *err);
