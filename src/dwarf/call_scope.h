/*
 * The function at an address, as its debug information has it. Private to call_sites.c and
 * call_shown.c.
 */
#pragma once

#include "call_sites.h"
#include "dwarf/feature/function_features.h"

struct call_scope {
	Dwarf_Die function; /* perhaps an inlined one */
	struct frame_base frame;
	const struct function_features *sources;
	struct feature_limits limits;
};

/*
 * The scope of the place with the index @place of the site at @addr. False: no debug information
 * has it.
 */
bool call_sites_scope(struct call_sites *sites, uint64_t addr, size_t place,
		      struct call_scope *ret);

/*
 * What the function at @addr, with code of its own, jumps to as it ends: as
 * call_values_tail_calls(); also false if no debug information has it.
 */
bool call_sites_tail_calls(struct call_sites *sites, uint64_t addr, size_t most,
			   struct call_hop *ret, size_t *ret_n);
