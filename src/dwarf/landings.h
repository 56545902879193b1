/*
 * Landings: where the callers of a function go on. A call that is left by a tail call ends there,
 * whatever it was left to.
 */
#pragma once

#include "dwarf/code/jump_sites.h"

struct landings { /* all zero: empty */
	struct landing *list;
	size_t n, capacity;
};

/*
 * Add the landings of direct calls of those of the @n @functions, all of module number @module,
 * that may be left by tail calls; set their n_calls and n_landings. Only calls in one of them, or
 * in a function of the symbol table, are found; a landing has a run of its own, without a gap.
 */
void landings_find(struct landings *landings, const struct code_source *code,
		   struct function *functions, size_t n, unsigned module);
