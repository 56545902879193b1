/* Removes columns from a table, so that models are as if they had never been there. */
#include "feature_pins.h"

#include <string.h>

#include "dataset.h"
#include "equivalents.h"

static bool is_excluded(const struct model_options *options, const char *expression)
{
	size_t i;

	for (i = 0; i < options->n_excluded; i++)
		if (!strcmp(options->excluded[i], expression))
			return true;
	return false;
}

static void leave_out(const struct samples *samples, const char *expression, bool *left_out)
{
	const size_t at = samples_find_column(samples, COLUMN_FEATURE, expression);

	if (at < samples->n_columns)
		left_out[at] = true;
}

/* Leave out the whole group of equivalents if one of them is excluded. */
static void leave_out_group(const struct samples *samples, const struct model_options *options,
			    const struct predictor *predictor, bool *left_out)
{
	bool excluded = is_excluded(options, predictor->column->name);
	size_t i;

	for (i = 0; i < predictor->n_alike; i++)
		excluded |= is_excluded(options, predictor->alike[i]->name);
	if (!excluded)
		return;
	leave_out(samples, predictor->column->name, left_out);
	for (i = 0; i < predictor->n_alike; i++)
		leave_out(samples, predictor->alike[i]->name, left_out);
}

static void exclude_choose(const struct samples *samples, enum metric metric,
			   const struct model_options *options, bool *left_out)
{
	struct dataset *data = dataset_create(samples, metric);
	size_t i;

	equivalents_screen(data, options);
	for (i = 0; i < data->n_predictors; i++)
		leave_out_group(samples, options, &data->predictors[i], left_out);
	for (i = 0; i < options->n_excluded; i++)
		leave_out(samples, options->excluded[i], left_out);
	dataset_destroy(data);
}

const struct samples *feature_pins_apply(const struct samples *samples, enum metric metric,
					 const struct model_options *options, struct arena *arena)
{
	struct samples *seen;
	bool *left_out;
	size_t i;

	if (!options->n_excluded)
		return samples;
	seen = arena_copy(arena, samples, sizeof(*samples));
	left_out = arena_array(arena, bool, samples->n_columns + 1);
	exclude_choose(samples, metric, options, left_out);
	seen->columns = arena_array(arena, struct column, samples->n_columns + 1);
	seen->n_columns = 0;
	for (i = 0; i < samples->n_columns; i++)
		if (!left_out[i])
			seen->columns[seen->n_columns++] = samples->columns[i];
	return seen;
}
