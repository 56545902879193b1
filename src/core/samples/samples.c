/*
 * Tables of samples: columns and rows that grow. Storing them is left to profile/, deriving columns
 * to derived_columns.c.
 */
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/bisect.h"

static char *samples_copy_text(const char *text)
{
	char *copy;

	if (!text)
		return NULL;
	copy = mem_alloc(strlen(text) + 1);
	return strcpy(copy, text);
}

struct samples *samples_create(const char *function, const char *linkage, const char *file,
			       unsigned line)
{
	struct samples *samples = mem_alloc(sizeof(*samples));

	samples->function = samples_copy_text(function);
	samples->linkage = samples_copy_text(linkage);
	samples->file = samples_copy_text(file);
	samples->line = line;
	samples->total_us = NAN;
	return samples;
}

static void free_labels(struct column *column)
{
	for (size_t i = 0; i < column->n_labels; i++)
		free((char *)column->labels[i].name);
	free(column->labels);
}

static void column_deinit(struct column *column)
{
	free((char *)column->name);
	free(column->numbers);
	free(column->absence);
	free_labels(column);
}

void samples_destroy(struct samples *samples)
{
	if (!samples)
		return;
	for (size_t i = 0; i < samples->n_columns; i++)
		column_deinit(&samples->columns[i]);
	free(samples->columns);
	free(samples->keys);
	free(samples->function);
	free(samples->linkage);
	free(samples->file);
	free(samples->module);
	free(samples->where);
	arena_destroy(samples->names);
	free(samples);
}

double samples_resolution(const struct samples *samples, enum metric metric)
{
	const double resolution = samples->resolution[metric_total(metric)];

	return isfinite(resolution) && resolution > 0 ? resolution : 0;
}

void samples_set_module(struct samples *samples, const char *module)
{
	free(samples->module);
	samples->module = samples_copy_text(module);
}

size_t samples_add_column(struct samples *samples, const struct column *like)
{
	struct column *column;

	samples->columns = mem_grow(samples->columns, &samples->columns_capacity,
				    samples->n_columns + 1, sizeof(*samples->columns));
	column = &samples->columns[samples->n_columns];
	*column = *like;
	column->name = samples_copy_text(like->name);
	column->labels = NULL;
	column->n_labels = column->labels_capacity = 0;
	column->numbers = mem_alloc(samples->rows_capacity * sizeof(*column->numbers));
	column->absence = mem_alloc(samples->rows_capacity);
	memset(column->absence, ABSENT_NOT_MEASURED, samples->n_rows);
	return samples->n_columns++;
}

void samples_remove_column(struct samples *samples, size_t at)
{
	column_deinit(&samples->columns[at]);
	samples->n_columns--;
	memmove(&samples->columns[at], &samples->columns[at + 1],
		(samples->n_columns - at) * sizeof(*samples->columns));
}

static void grow_rows(struct samples *samples, size_t need)
{
	size_t capacity = samples->rows_capacity;

	if (need <= capacity)
		return;
	samples->keys =
		mem_grow(samples->keys, &samples->rows_capacity, need, sizeof(*samples->keys));
	for (size_t i = 0; i < samples->n_columns; i++) {
		struct column *column = &samples->columns[i];
		size_t numbers = capacity;
		size_t absence = capacity;

		column->numbers = mem_grow(column->numbers, &numbers, need, sizeof(double));
		column->absence = mem_grow(column->absence, &absence, need, 1);
	}
}

void samples_replace(struct samples *samples, size_t row, const struct sample_key *key,
		     const struct value *cells)
{
	samples->keys[row] = *key;
	for (size_t i = 0; i < samples->n_columns; i++) {
		struct column *column = &samples->columns[i];
		enum absence absence = cells[i].absence;

		if (absence == PRESENT && !isfinite(cells[i].number))
			absence = ABSENT_NOT_FINITE;
		column->absence[row] = absence;
		column->numbers[row] = absence == PRESENT ? cells[i].number : 0;
	}
}

void samples_append(struct samples *samples, const struct sample_key *key,
		    const struct value *cells)
{
	grow_rows(samples, samples->n_rows + 1);
	samples_replace(samples, samples->n_rows, key, cells);
	samples->n_rows++;
}

/* The index of the label of @number among the sorted ones, or where it would go. */
static size_t label_place(const struct column *column, double number)
{
	return BISECT_FIRST(i, column->n_labels, column->labels[i].number < number);
}

const char *samples_label(const struct column *column, double number)
{
	size_t i = label_place(column, number);

	return i < column->n_labels && column->labels[i].number == number ? column->labels[i].name
									  : NULL;
}

void samples_add_label(struct samples *samples, size_t index, double number, const char *name)
{
	struct column *column = &samples->columns[index];
	size_t i = label_place(column, number);

	if (isnan(number) || samples_label(column, number))
		return;
	column->labels = mem_grow(column->labels, &column->labels_capacity, column->n_labels + 1,
				  sizeof(*column->labels));
	memmove(&column->labels[i + 1], &column->labels[i],
		(column->n_labels++ - i) * sizeof(*column->labels));
	column->labels[i] = (struct label){number, samples_copy_text(name)};
}

static void move_row(struct samples *samples, size_t from, size_t to)
{
	samples->keys[to] = samples->keys[from];
	for (size_t i = 0; i < samples->n_columns; i++) {
		samples->columns[i].numbers[to] = samples->columns[i].numbers[from];
		samples->columns[i].absence[to] = samples->columns[i].absence[from];
	}
}

bool samples_is_absent(const struct column *column, size_t row)
{
	const bool is_empty =
		column->provenance == FROM_IMPORT && column->absence[row] == ABSENT_NOT_MEASURED;

	return is_empty || value_is_missing(column->absence[row]);
}

void samples_keep_rows(struct samples *samples, const bool *is_kept)
{
	size_t kept = 0;

	for (size_t i = 0; i < samples->n_rows; i++)
		if (is_kept[i])
			move_row(samples, i, kept++);
	samples->n_rows = kept;
}

void samples_select(struct samples *samples, const char *where, const bool *is_kept)
{
	char *before = samples->where;
	size_t size;

	if (!before) {
		samples->where = samples_copy_text(where);
		samples->where_of = samples->n_rows;
	} else if (strcmp(before, where) != 0) {
		size = strlen(before) + strlen(where) + sizeof("() && ()");
		samples->where = mem_alloc(size);
		snprintf(samples->where, size, "(%s) && (%s)", before, where);
		free(before);
	}
	samples_keep_rows(samples, is_kept);
}

void samples_keep_run(struct samples *samples, int64_t run)
{
	size_t kept = 0;

	for (size_t i = 0; i < samples->n_rows; i++)
		if (samples->keys[i].run == run)
			move_row(samples, i, kept++);
	samples->n_rows = kept;
}

void samples_clear(struct samples *samples)
{
	samples->n_rows = 0;
}

size_t samples_find_column(const struct samples *samples, enum column_role role, const char *name)
{
	size_t i;

	for (i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == role && !strcmp(samples->columns[i].name, name))
			break;
	return i;
}

const struct column *samples_metric(const struct samples *samples, enum metric metric)
{
	const size_t at = samples_find_column(samples, COLUMN_METRIC, metric_info(metric)->keyword);

	return at < samples->n_columns ? &samples->columns[at] : NULL;
}
