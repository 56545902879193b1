/* One site's bytes as the cost of calls. */
#include "site_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

static bool is_site(const struct column *column)
{
	return column->role == COLUMN_KEY &&
	       !strncmp(column->name, SITE_COLUMN_PREFIX, strlen(SITE_COLUMN_PREFIX));
}

/* What the call has allocated at sites that are known; NAN: sites without a column did, too. */
static double sum_of_sites(const struct samples *samples, size_t row)
{
	double sum = 0;

	for (size_t i = 0; i < samples->n_columns; i++) {
		const struct column *column = &samples->columns[i];

		if (!is_site(column) || column->absence[row] != PRESENT)
			continue;
		if (column->numbers[row] > 0 &&
		    !strcmp(column->name, SITE_COLUMN_PREFIX SITE_COLUMN_OTHERS ")"))
			return NAN;
		sum += column->numbers[row];
	}
	return sum;
}

static void fill_nothing(struct samples *samples, size_t site)
{
	const size_t mem =
		samples_find_column(samples, COLUMN_METRIC, metric_info(METRIC_MEM)->keyword);
	const struct column *all = &samples->columns[mem];

	for (size_t row = 0; mem < samples->n_columns && row < samples->n_rows; row++)
		if (samples->columns[site].absence[row] != PRESENT &&
		    all->absence[row] == PRESENT && sum_of_sites(samples, row) == all->numbers[row])
			samples->columns[site].absence[row] = PRESENT;
}

char *site_columns_function(const char *name, struct arena *arena)
{
	const char *suffix = site_columns_suffix(SITE_COLUMN_PREFIX);
	const char *found = NULL;
	const size_t n = strlen(name);

	for (const char *at = name; n && name[n - 1] == ')' && (at = strstr(at, suffix)); at++)
		found = at;
	return found ? arena_printf(arena, "%.*s", (int)(found - name), name)
		     : arena_strdup(arena, name);
}

static void rename_with(char **name, const char *suffix)
{
	const size_t size = strlen(*name) + strlen(suffix) + 1;
	char *renamed = mem_alloc(size);

	snprintf(renamed, size, "%s%s", *name, suffix);
	free(*name);
	*name = renamed;
}

bool site_columns_take(struct samples *samples, const char *name)
{
	size_t site = samples_find_column(samples, COLUMN_KEY, name);
	const struct column like = {.name = metric_info(METRIC_MEM)->keyword,
				    .role = COLUMN_METRIC,
				    .metric = METRIC_MEM};
	size_t cost;

	if (site == samples->n_columns)
		return false;
	fill_nothing(samples, site);
	for (size_t i = samples->n_columns; i > 0; i--)
		if (samples->columns[i - 1].role == COLUMN_METRIC) {
			samples_remove_column(samples, i - 1);
			site -= i - 1 < site;
		}
	cost = samples_add_column(samples, &like);
	memcpy(samples->columns[cost].numbers, samples->columns[site].numbers,
	       samples->n_rows * sizeof(double));
	memcpy(samples->columns[cost].absence, samples->columns[site].absence, samples->n_rows);
	for (size_t i = samples->n_columns; i > 0; i--)
		if (samples->columns[i - 1].role == COLUMN_KEY)
			samples_remove_column(samples, i - 1);
	rename_with(&samples->function, site_columns_suffix(name));
	rename_with(&samples->linkage, site_columns_suffix(name));
	samples->total_us = NAN;
	return true;
}
