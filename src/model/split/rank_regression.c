/* Orders and rank regressions. Choice rows are in metric order, so their indices are ranks. */
#include "rank_regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define COVERED 0.95

struct rank_regression *rank_regression_create(struct arena *arena, const struct dataset *data)
{
	struct rank_regression *ranking = arena_new(arena, struct rank_regression);
	size_t i;

	ranking->data = data;
	ranking->orders = arena_array(arena, struct order, data->n_predictors);
	ranking->ranks = arena_array(arena, double, data->n_choice);
	for (i = 0; i < data->n_predictors; i++)
		ranking->orders[i].places = dataset_order(data, i, &ranking->orders[i].n);
	return ranking;
}

bool rank_regression_covers(const struct rank_regression *ranking, size_t predictor)
{
	return (double)ranking->orders[predictor].n >= COVERED * (double)ranking->data->n_choice;
}

const double *rank_regression_of_metric(const struct rank_regression *ranking, const uint8_t *sides,
					enum side which)
{
	const double *y = ranking->data->y;
	size_t n_choice = ranking->data->n_choice;
	size_t n = 0;
	size_t i, end;

	for (i = 0; i < n_choice; i = end) {
		size_t before = n;

		for (end = i; end < n_choice && y[end] == y[i]; end++)
			n += sides[end] == which;
		while (i < end)
			ranking->ranks[i++] = (double)(before + n) / 2;
	}
	for (i = 0; i < n_choice; i++)
		ranking->ranks[i] -= (double)n / 2;
	return ranking->ranks;
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

/* Sums over a side; t: rank of the predictor, u: of the metric. */
struct rank_sums {
	double n, t, tt, ttt, tttt;
	double u, ut, utt, uu;
};

static void add_equals(struct rank_sums *sums, double t, double n, double u, double uu)
{
	sums->n += n;
	sums->t += n * t;
	sums->tt += n * t * t;
	sums->ttt += n * t * t * t;
	sums->tttt += n * t * t * t * t;
	sums->u += u;
	sums->ut += u * t;
	sums->utt += u * t * t;
	sums->uu += uu;
}

static struct rank_sums sum_ranks(const double *ranks, const struct order *order,
				  const uint8_t *sides, enum side which, size_t n_side)
{
	struct rank_sums sums = {0};
	size_t seen = 0;
	size_t i = 0;

	while (i < order->n) {
		double u = 0, uu = 0;
		size_t n = 0;

		do {
			double rank = ranks[order->places[i].row];

			if (sides[order->places[i].row] == which) {
				u += rank;
				uu += rank * rank;
				n++;
			}
		} while (++i < order->n && !order->places[i].rises);
		if (n)
			add_equals(&sums, ((double)seen + (double)n / 2) / (double)n_side * 2 - 1,
				   (double)n, u, uu);
		seen += n;
	}
	return sums;
}

/* The share of the metric's ranks that [1, t, t^2] explains. */
static double ranking_explained(const struct rank_sums *s)
{
	double tt, uu, ut, q, w, ww, uw, part;

	if (s->n < ROWS_MIN)
		return 0;
	tt = s->tt - s->t * s->t / s->n;
	uu = s->uu - s->u * s->u / s->n;
	if (tt <= 1e-9 * s->n || uu <= 1e-9 * s->n)
		return 0;
	ut = s->ut - s->u * s->t / s->n;
	part = ut * ut / (tt * uu);
	/* t^2 without its projection on 1 and t. */
	q = (s->ttt - s->t * s->tt / s->n) / tt;
	w = s->utt - s->u * s->tt / s->n;
	uw = w - q * ut;
	ww = s->tttt - s->tt * s->tt / s->n - q * q * tt;
	if (ww > 1e-9 * s->n)
		part += uw * uw / (ww * uu);
	return part;
}

size_t rank_regression_strongest(const struct rank_regression *ranking, const double *ranks,
				 const uint8_t *sides, enum side which, size_t max, size_t *ret)
{
	double parts[RANKED_MAX];
	size_t n_side = 0;
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < ranking->data->n_choice; i++)
		n_side += sides[i] == which;
	for (i = 0; i < ranking->data->n_predictors; i++) {
		struct rank_sums sums;
		double part;

		if (ranking->data->predictors[i].column->type == FEATURE_BOOL ||
		    (double)ranking->orders[i].n < COVERED * (double)n_side)
			continue;
		sums = sum_ranks(ranks, &ranking->orders[i], sides, which, n_side);
		if (sums.n < COVERED * (double)n_side)
			continue;
		part = ranking_explained(&sums);
		for (j = n; j > 0 && parts[j - 1] < part; j--)
			if (j < max) {
				parts[j] = parts[j - 1];
				ret[j] = ret[j - 1];
			}
		if (part <= 0 || j >= max)
			continue;
		parts[j] = part;
		ret[j] = i;
		n += n < max;
	}
	return n;
}
