/* Functions with samples, by the patterns of -f. */
#pragma once

#include "base/arena.h"
#include "samples.h"

/*
 * Does @pattern name the function of @samples, or that which has the place it is of
 * (part_columns.h)? A name or glob (core/cxx_name.h), or one of a source file, library or program:
 * "parser.c:scan_*", "libz.so.1:inflate". @arena is for a while.
 */
bool samples_named_by(const struct samples *samples, const char *pattern, struct arena *arena);
