/*
 * What two catalogues of one program have in common: modules by their files, functions by where
 * they are. Private to trace/.
 */
#pragma once

#include "core/catalogue/catalogue.h"
#include "core/value.h"

struct catalogue_map {
	const struct catalogue *before, *now;
	int *modules;   /* of each one before, which it is now; -1: it is gone */
	int *functions; /* the same */
};

void catalogue_map_init(struct catalogue_map *map, const struct catalogue *before,
			const struct catalogue *now);
void catalogue_map_deinit(struct catalogue_map *map);

/*
 * The cost function that @function of before is now; NULL: none. As for cost_probes_replace();
 * @self is the map.
 */
const struct cost_function *catalogue_map_cost(void *self, const struct cost_function *function);

/*
 * The values of a call of function @index of before, in the order of the features that it has now.
 * Takes @values. What was not asked for before is absent.
 */
struct value *catalogue_map_values(const struct catalogue_map *map, unsigned index,
				   struct value *values);
