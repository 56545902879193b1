/*
 * What two catalogues of one program have in common: modules by their files, functions by where they are. Private to trace/.
 */
#ifndef FATHOM_TRACE_REPLAN_MAP_H
#define FATHOM_TRACE_REPLAN_MAP_H

#include "core/catalogue.h"
#include "core/value.h"

struct replan_map {
	const struct catalogue *before, *now;
	int *modules;   /* of each one before, which it is now; -1: it is gone */
	int *functions; /* the same */
};

void replan_map_init(struct replan_map *map, const struct catalogue *before,
		     const struct catalogue *now);
void replan_map_deinit(struct replan_map *map);

/* The cost function that @function of before is now; NULL: none. As for cost_probes_replace(); @self is the map. */
const struct cost_function *replan_map_cost(void *self, const struct cost_function *function);

/*
 * The values of a call of function @index of before, in the order of the features that it has now. Takes @values. What was not asked for before is absent.
 */
struct value *replan_map_values(const struct replan_map *map, unsigned index, struct value *values);

#endif
