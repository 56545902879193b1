/*
 * Parts of cost functions that have no name: where they jump to code of which only .eh_frame says
 * where it ends, as glibc's pthread_mutex_unlock() does. Calls end at its returns.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "jump_sites.h"

enum {
	COST_EXITS_MAX = 16, /* per function; with more, none is planted */
	COST_SIZE_MAX = 1 << 14,
};

/*
 * For each of the @n functions at @list, all those of the file that are wanted: replace jumps to
 * such parts by the exits of these, in @arena. Jumps to a part that functions of several kinds
 * share are kept.
 */
void cost_parts_follow(const struct code_source *code, struct arena *arena,
		       struct cost_function *list, size_t n);
