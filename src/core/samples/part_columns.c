/* The costs of one place as those of calls. */
#include "part_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked_rows.h"
#include "base/arena.h"
#include "base/mem.h"
#include "core/annotation/quote_head.h"

static const char *const part_kinds[] = {".at(", PART_COLUMN_SERVER};

static enum metric keyword_metric(const char *keyword, size_t length)
{
	enum metric metric = 0;

	while (metric < METRIC_TOTALS &&
	       (strlen(metric_info(metric)->keyword) != length ||
		strncmp(metric_info(metric)->keyword, keyword, length) != 0))
		metric++;
	return metric;
}

const char *part_columns_suffix(const char *column)
{
	for (size_t i = 0; i < sizeof(part_kinds) / sizeof(*part_kinds); i++) {
		const char *suffix = strstr(column, part_kinds[i]);

		if (suffix && keyword_metric(column, (size_t)(suffix - column)) < METRIC_TOTALS)
			return suffix;
	}
	return NULL;
}

enum metric part_columns_metric(const char *column)
{
	return keyword_metric(column, (size_t)(part_columns_suffix(column) - column));
}

static bool is_site(const struct column *column)
{
	return column->role == COLUMN_KEY &&
	       !strncmp(column->name, PART_COLUMN_SITE, strlen(PART_COLUMN_SITE));
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
		    !strcmp(column->name, PART_COLUMN_SITE PART_COLUMN_OTHERS ")"))
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

char *part_columns_function(const char *name, struct arena *arena)
{
	return arena_printf(arena, "%.*s", (int)quote_head_length(name), name);
}

static void rename_with(char **name, const char *suffix)
{
	const size_t size = strlen(*name) + strlen(suffix) + 1;
	char *renamed = mem_alloc(size);

	snprintf(renamed, size, "%s%s", *name, suffix);
	free(*name);
	*name = renamed;
}

static bool is_part(const struct column *column, const char *suffix)
{
	const char *own = column->role == COLUMN_KEY ? part_columns_suffix(column->name) : NULL;

	return own && !strcmp(own, suffix);
}

static void remove_all(struct samples *samples, enum column_role role)
{
	for (size_t i = samples->n_columns; i > 0; i--)
		if (samples->columns[i - 1].role == role &&
		    strcmp(samples->columns[i - 1].name, ASKED_ROWS_KEY) != 0)
			samples_remove_column(samples, i - 1);
}

/* A metric with the cells of the key @part. */
static void add_cost(struct samples *samples, size_t part)
{
	const enum metric metric = part_columns_metric(samples->columns[part].name);
	const size_t cost =
		samples_add_column(samples, &(struct column){.name = metric_info(metric)->keyword,
							     .role = COLUMN_METRIC,
							     .metric = metric});

	memcpy(samples->columns[cost].numbers, samples->columns[part].numbers,
	       samples->n_rows * sizeof(double));
	memcpy(samples->columns[cost].absence, samples->columns[part].absence, samples->n_rows);
}

bool part_columns_take(struct samples *samples, const char *suffix)
{
	const size_t n = samples->n_columns;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		if (is_part(&samples->columns[i], suffix)) {
			any = true;
			if (is_site(&samples->columns[i]))
				fill_nothing(samples, i);
		}
	if (!any)
		return false;
	remove_all(samples, COLUMN_METRIC);
	for (size_t i = 0, end = samples->n_columns; i < end; i++)
		if (is_part(&samples->columns[i], suffix))
			add_cost(samples, i);
	rename_with(&samples->function, suffix);
	rename_with(&samples->linkage, suffix);
	remove_all(samples, COLUMN_KEY);
	samples->total_us = NAN;
	return true;
}
