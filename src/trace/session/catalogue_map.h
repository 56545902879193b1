/* What two catalogues of one program have in common: modules by file, functions by address. */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/value.h"

struct catalogue_map {
	const struct catalogue *before, *now;
	int *modules;   /* [old modules] new index; -1: gone */
	int *functions; /* [old functions] likewise */
};

void catalogue_map_init(struct catalogue_map *map, const struct catalogue *before,
			const struct catalogue *now);
void catalogue_map_deinit(struct catalogue_map *map);

/*
 * The new form of the old cost @function; NULL: none. For cost_probes_replace(); @self is the map.
 */
const struct cost_function *catalogue_map_cost(void *self, const struct cost_function *function);

/*
 * Takes @values of a call of the old function @index; returns them in the order of its new
 * features. Those not read before are absent.
 */
struct value *catalogue_map_values(const struct catalogue_map *map, unsigned index,
				   struct value *values);
