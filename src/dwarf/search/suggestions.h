/*
 * The functions with names nearest to one that does not exist.
 */
#pragma once

#include "function_search.h"

enum { NEAREST_MAX = 5 };

/*
 * Fill @ret with the canonical names (in @arena) of up to NEAREST_MAX functions with code, nearest
 * first; returns the number.
 */
size_t suggestions_find(const struct elf_file *image, const struct pattern *pattern,
			struct arena *arena, const char *ret[NEAREST_MAX]);
