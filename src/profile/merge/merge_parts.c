/* A function is one of its program, whichever process it worked in. */
#include "merge_parts.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "core/samples/part_columns.h"

static const char *part_program(const struct merge_side *servers, size_t table)
{
	const char *path = servers->origins[merge_side_origin(servers, table)].program;
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

static bool are_one_function(const struct merge_side *servers, size_t a, size_t b)
{
	return !strcmp(servers->tables[a]->function, servers->tables[b]->function) &&
	       !strcmp(part_program(servers, a), part_program(servers, b));
}

/* The tables, among @used[servers->n], that have the function's name are of several programs. */
static bool has_namesake(const struct merge_side *servers, const bool *used, size_t table)
{
	for (size_t i = 0; i < servers->n; i++)
		if (used[i] &&
		    !strcmp(servers->tables[i]->function, servers->tables[table]->function) &&
		    !are_one_function(servers, i, table))
			return true;
	return false;
}

static void find_used(const struct merge_matched *matched, const size_t *tables, bool *ret)
{
	for (size_t i = 0; i < matched->client->n_rows; i++) {
		const struct match *match = &matched->pairs.matches[i];

		for (size_t k = 0; match->reason == MATCHED && k < match->n; k++)
			ret[tables[matched->pairs.list[match->first + k].served]] = true;
	}
}

/* The index of its part, which may be new. */
static size_t part_of_table(const struct merge_side *servers, const bool *used, size_t table,
			    struct arena *arena, struct merge_parts *parts)
{
	const char *name = servers->tables[table]->function;
	size_t i = 0;

	if (has_namesake(servers, used, table))
		name = arena_printf(arena, "%s@%s", name, part_program(servers, table));
	while (i < parts->n && i < MERGE_PARTS_MOST && strcmp(parts->list[i].name, name) != 0)
		i++;
	if (i == parts->n)
		parts->list[parts->n++].name =
			i < MERGE_PARTS_MOST ? arena_strdup(arena, name) : PART_COLUMN_OTHERS;
	return i;
}

static void part_add_columns(const struct merge_side *servers, struct arena *arena,
			     struct merge_part *part, struct samples *joint)
{
	for (enum metric metric = 0; metric < METRIC_TOTALS; metric++)
		if (merge_side_measured(servers, metric))
			part->columns[metric] = samples_add_column(
				joint,
				&(struct column){.name = arena_printf(
							 arena, "%s" PART_COLUMN_SERVER "%s)",
							 metric_info(metric)->keyword, part->name),
						 .role = COLUMN_KEY});
}

void merge_parts_find(const struct merge_matched *matched, struct samples *joint,
		      struct arena *arena, struct merge_parts *ret)
{
	const struct merge_side *servers = matched->servers;
	size_t *tables = arena_array(arena, size_t, servers->n_calls + 1);
	size_t *parts = arena_array(arena, size_t, servers->n + 1);
	bool *used = arena_array(arena, bool, servers->n + 1);

	*ret = (struct merge_parts){.of_call = tables};
	for (size_t i = 0; i < servers->n_calls; i++)
		tables[i] = merge_side_table(servers, servers->calls[i].samples);
	find_used(matched, tables, used);
	for (size_t i = 0; i < servers->n; i++)
		if (used[i])
			parts[i] = part_of_table(servers, used, i, arena, ret);
	for (size_t i = 0; i < servers->n_calls; i++)
		ret->of_call[i] = parts[tables[i]];
	if (ret->n < 2)
		ret->n = 0;
	for (size_t i = 0; i < ret->n; i++)
		part_add_columns(servers, arena, &ret->list[i], joint);
}

/* NAN: not known. */
static double cost_of_part(const struct merge_parts *parts, size_t part, enum metric metric,
			   const struct merge_matched *matched, const struct match *match,
			   const double *each)
{
	double sum = 0;

	for (size_t i = 0; i < match->n; i++) {
		const size_t served = matched->pairs.list[match->first + i].served;
		const double cost = metric == METRIC_TIME
					    ? each[i]
					    : merge_costs_served(matched, served, metric);

		if (parts->of_call[served] != part)
			continue;
		if (metric != METRIC_PEAK)
			sum += cost;
		else
			sum = cost <= sum ? sum : cost;
	}
	return sum;
}

void merge_parts_set(const struct merge_parts *parts, const struct merge_matched *matched,
		     const struct match *match, const double *each, struct value *row)
{
	for (size_t i = 0; i < parts->n; i++)
		for (enum metric metric = 0; metric < METRIC_TOTALS; metric++) {
			const size_t column = parts->list[i].columns[metric];
			const double cost =
				column ? cost_of_part(parts, i, metric, matched, match, each) : 0;

			if (column)
				row[column] =
					isnan(cost) ? (struct value){.absence = ABSENT_NOT_MEASURED}
						    : (struct value){.number = cost};
		}
}
