/* Finds the call with the largest residual and writes the sentence. */
#include "largest_residual.h"

#include <math.h>

#include "model/data/row_expectation.h"

/* Smaller relative deviations are none. */
#define ROUNDING 1e-12
/* From this factor on, name the ratio, not the difference. */
#define RATIO_LEAST 2.0

/* "took 20130 µs", "cost 20130 bytes", "cost 12 pfaults" */
static const char *cost_text(struct arena *arena, const struct dataset *data, double cost)
{
	const struct metric_info *info = metric_info(data->metric->metric);

	return arena_printf(arena, "%s %.6g %s",
			    metric_is_time(data->metric->metric) ? "took" : "cost", cost,
			    *info->unit_text ? info->unit_text : info->keyword);
}

/* "call 812 in thread 4711": numbers as in exported samples. */
static const char *residual_call_text(struct arena *arena, const struct sample_key *key)
{
	if (key->thread)
		return arena_printf(arena, "call %lld in thread %lld", (long long)key->id,
				    (long long)key->thread);
	return arena_printf(arena, "call %lld", (long long)key->id);
}

/* The row with the largest residual in deviations; n_rows of the table: none. */
static size_t find_farthest(const struct annotation *annotation, const struct dataset *data,
			    double *ret_mean)
{
	const struct samples *samples = data->samples;
	double *means = arena_array(data->arena, double, samples->n_rows);
	double *deviations = arena_array(data->arena, double, samples->n_rows);
	size_t farthest = samples->n_rows;
	double most = 0;
	size_t i;

	row_expectation_find(annotation, samples, means, deviations);
	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];
		const double away = fabs(data->metric->numbers[row] - means[row]) /
				    fmax(deviations[row], ROUNDING * data->y_max);

		if (!(away > most) || !isfinite(away))
			continue;
		most = away;
		farthest = row;
		*ret_mean = means[row];
	}
	return farthest;
}

const char *largest_residual_note(const struct annotation *annotation, const struct dataset *data)
{
	const char *says = annotation->n_features ? "the formula says" : "is usual";
	struct arena *arena = annotation->arena;
	double mean = 0;
	const size_t row = find_farthest(annotation, data, &mean);
	const char *call, *cost;
	double ratio;

	if (row == data->samples->n_rows)
		return NULL;
	ratio = mean > 0 ? data->metric->numbers[row] / mean : 0;
	call = residual_call_text(arena, &data->samples->keys[row]);
	cost = cost_text(arena, data, data->metric->numbers[row]);
	if (ratio >= RATIO_LEAST && isfinite(ratio))
		return arena_printf(arena, "The farthest, %s, %s, %.*g times what %s.", call, cost,
				    ratio < 100 ? 2 : 3, ratio, says);
	return arena_printf(arena, "The farthest, %s, %s where %.6g %s.", call, cost, mean,
			    annotation->n_features ? "was expected" : says);
}
