/* Finding what two catalogues have in common. session_replan.c deals with calls and breakpoints. */
#include "catalogue_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/bisect.h"

static int find_module(const struct catalogue *now, const struct module *module)
{
	size_t i;

	for (i = 1; i < now->n_modules; i++)
		if (!strcmp(now->modules[i].path, module->path))
			return (int)i;
	return -1;
}

/* The first module is the program itself, whatever its path. */
static void map_modules(struct catalogue_map *map)
{
	size_t i;

	for (i = 1; i < map->before->n_modules; i++)
		map->modules[i] = find_module(map->now, &map->before->modules[i]);
	map->modules[0] = 0;
}

/* Open calls go on only if their ends and branches are the same. */
static bool map_is_same(const struct catalogue_map *map, const struct function *before,
			const struct function *now)
{
	return (int)now->module == map->modules[before->module] &&
	       now->entry_addr == before->entry_addr && now->probe_addr == before->probe_addr &&
	       now->n_exits == before->n_exits && now->n_branches == before->n_branches &&
	       !now->unmeasurable == !before->unmeasurable;
}

/* Functions are sorted by name. Returns the first not before @name. */
static size_t first_of_name(const struct catalogue *catalogue, const char *name)
{
	return BISECT_FIRST(i, catalogue->n_functions,
			    strcmp(catalogue->functions[i].name, name) < 0);
}

static int find_function(const struct catalogue_map *map, const struct function *before)
{
	const struct catalogue *now = map->now;
	size_t i;

	for (i = first_of_name(now, before->name);
	     i < now->n_functions && !strcmp(now->functions[i].name, before->name); i++)
		if (map_is_same(map, before, &now->functions[i]))
			return (int)i;
	return -1;
}

void catalogue_map_init(struct catalogue_map *map, const struct catalogue *before,
			const struct catalogue *now)
{
	size_t i;

	*map = (struct catalogue_map){
		.before = before,
		.now = now,
		.modules = mem_alloc((before->n_modules + 1) * sizeof(int)),
		.functions = mem_alloc((before->n_functions + 1) * sizeof(int)),
	};
	map_modules(map);
	for (i = 0; i < before->n_functions; i++)
		map->functions[i] = find_function(map, &before->functions[i]);
}

void catalogue_map_deinit(struct catalogue_map *map)
{
	free(map->modules);
	free(map->functions);
}

const struct cost_function *catalogue_map_cost(void *self, const struct cost_function *function)
{
	const struct catalogue_map *map = self;
	size_t i;

	for (i = 0; i < map->now->n_cost_functions; i++) {
		const struct cost_function *now = &map->now->cost_functions[i];

		if ((int)now->module == map->modules[function->module] &&
		    now->entry_addr == function->entry_addr && now->kind == function->kind &&
		    now->n_exits == function->n_exits && now->n_jumps == function->n_jumps)
			return now;
	}
	return NULL;
}

static const struct value *map_find_value(const struct function *before, const struct value *values,
					  const struct feature *feature, size_t hint)
{
	size_t i;

	for (i = 0; i < before->n_features; i++) {
		const size_t index = (hint + i) % before->n_features;

		if (!strcmp(before->features[index].expression, feature->expression))
			return &values[index];
	}
	return NULL;
}

struct value *catalogue_map_values(const struct catalogue_map *map, unsigned index,
				   struct value *values)
{
	const struct function *before = &map->before->functions[index];
	const struct function *now = &map->now->functions[map->functions[index]];
	struct value *ret = mem_alloc((now->n_features + 1) * sizeof(*ret));
	size_t i;

	for (i = 0; i < now->n_features; i++) {
		const struct value *value = map_find_value(before, values, &now->features[i], i);

		if (value)
			ret[i] = *value;
		else
			ret[i].absence = now->features[i].absence == PRESENT
						 ? ABSENT_NOT_MEASURED
						 : now->features[i].absence;
	}
	free(values);
	return ret;
}
