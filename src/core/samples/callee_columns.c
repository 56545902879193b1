/* Names of columns, and finding them. */
#include "callee_columns.h"

#include "base/arena.h"

const char *callee_columns_name(struct arena *arena, const char *callee, enum metric metric)
{
	return arena_printf(arena, "callee.%s.%s", callee,
			    metric == METRIC_COUNT ? "calls" : metric_info(metric)->keyword);
}

const struct column *callee_columns_find(const struct samples *caller, const char *callee,
					 enum metric metric)
{
	struct arena *arena = arena_create();
	const size_t found =
		samples_find_column(caller, COLUMN_KEY, callee_columns_name(arena, callee, metric));

	arena_destroy(arena);
	return found < caller->n_columns ? &caller->columns[found] : NULL;
}
