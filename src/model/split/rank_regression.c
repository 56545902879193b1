/* Orders and rank regressions. Choice rows are in metric order, so their indices are ranks. */
#include "rank_regression.h"

#include <string.h>

#define COVERED 0.95

struct rank_regression *rank_regression_create(struct arena *arena, const struct dataset *data)
{
	struct rank_regression *ranking = arena_new(arena, struct rank_regression);
	size_t i;

	ranking->data = data;
	ranking->orders = arena_array(arena, struct order, data->n_predictors);
	for (i = 0; i < data->n_predictors; i++)
		ranking->orders[i].places = dataset_order(data, i, &ranking->orders[i].n);
	return ranking;
}

bool rank_regression_covers(const struct rank_regression *ranking, size_t predictor)
{
	return (double)ranking->orders[predictor].n >= COVERED * (double)ranking->data->n_choice;
}

void rank_regression_of_order(const struct order *order, size_t n, double *ret)
{
	size_t i, end;

	memset(ret, 0, n * sizeof(*ret));
	for (i = 0; i < order->n; i = end) {
		size_t first = i;

		for (end = i + 1; end < order->n && !order->places[end].rises; end++)
			;
		for (; i < end; i++)
			ret[order->places[i].row] = (double)(first + end) / (double)order->n - 1;
	}
}

size_t rank_regression_strongest(const struct rank_regression *ranking, size_t max, size_t *ret)
{
	const struct dataset *data = ranking->data;
	double strengths[RANKED_MAX];
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < data->n_predictors; i++) {
		double strength;

		if (data->predictors[i].column->type == FEATURE_BOOL ||
		    data->predictors[i].returned || !rank_regression_covers(ranking, i))
			continue;
		strength = dataset_rank_correlation(data, i);
		for (j = n; j > 0 && strengths[j - 1] < strength; j--)
			if (j < max) {
				strengths[j] = strengths[j - 1];
				ret[j] = ret[j - 1];
			}
		if (!(strength > 0) || j >= max)
			continue;
		strengths[j] = strength;
		ret[j] = i;
		n += n < max;
	}
	return n;
}
