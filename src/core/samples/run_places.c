/* The best parting of runs by a place, and how often chance makes one as good. */
#include "run_places.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/random.h"

enum { PERMUTATIONS = 2000 };

/* A side of the parting has so many runs at least. */
enum { SIDE_LEAST = 2 };

/* The part of the variance that is between runs. */
#define BETWEEN_LEAST 0.9

bool run_places_are(const struct samples *samples, const struct column *column)
{
	double mean = 0, all = 0, between = 0, sum = 0;
	size_t n = 0, of_run = 0, row;

	for (row = 0; row < samples->n_rows; row++)
		if (column->absence[row] == PRESENT)
			mean += (column->numbers[row] - mean) / (double)++n;
	for (row = 0; row < samples->n_rows; row++) {
		const double away = column->numbers[row] - mean;

		if (column->absence[row] == PRESENT) {
			all += away * away;
			sum += away;
			of_run++;
		}
		if (row + 1 < samples->n_rows &&
		    samples->keys[row + 1].run == samples->keys[row].run)
			continue;
		between += of_run ? sum * sum / (double)of_run : 0;
		sum = 0;
		of_run = 0;
	}
	return all > 0 && between >= BETWEEN_LEAST * all;
}

/* The mean of the run's cells from @row on; *@row: behind them. False: nothing is known. */
static bool run_mean(const struct samples *samples, const struct column *metric,
		     const struct column *place, size_t *row, double *ret_cost, double *ret_place)
{
	const int64_t run = samples->keys[*row].run;
	double sum = 0;
	size_t n = 0;

	for (; *row < samples->n_rows && samples->keys[*row].run == run; ++*row) {
		if (metric->absence[*row] != PRESENT || place->absence[*row] != PRESENT)
			continue;
		sum += metric->numbers[*row];
		*ret_place = place->numbers[*row];
		n++;
	}
	*ret_cost = n ? sum / (double)n : 0;
	return n > 0;
}

void run_places_add(struct run_places *places, const struct samples *samples,
		    const struct column *metric, const struct column *place)
{
	const size_t first = places->n;
	double sum = 0;
	size_t row = 0, i;

	while (row < samples->n_rows) {
		double cost, at = 0;

		if (!run_mean(samples, metric, place, &row, &cost, &at))
			continue;
		places->runs = mem_grow(places->runs, &places->capacity, places->n + 1,
					sizeof(*places->runs));
		places->runs[places->n++] = (struct run_place){at, cost};
		sum += cost;
	}
	for (i = first; i < places->n && sum > 0; i++)
		places->runs[i].cost *= (double)(places->n - first) / sum;
}

void run_places_take_out(struct run_places *places, const struct run_places *by,
			 const struct run_parting *parting)
{
	for (size_t i = 0; i < places->n && i < by->n; i++)
		if (by->runs[i].place > parting->border && parting->times > 0)
			places->runs[i].cost /= parting->times;
}

void run_places_deinit(struct run_places *places)
{
	free(places->runs);
}

static int by_place(const void *a, const void *b)
{
	const struct run_place *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* What the best parting of @runs, sorted, explains: the sum of squares between its sides. */
static double best_parting(const struct run_place *runs, size_t n, double total, size_t *ret)
{
	double best = 0, before = 0;

	*ret = 0;
	for (size_t i = 0; i + SIDE_LEAST < n; i++) {
		const double low = (before += runs[i].cost) / (double)(i + 1);
		const double high = (total - before) / (double)(n - i - 1);
		const double between = (low - high) * (low - high) * (double)(i + 1) *
				       (double)(n - i - 1) / (double)n;

		if (i + 1 < SIDE_LEAST || runs[i].place == runs[i + 1].place || between <= best)
			continue;
		best = between;
		*ret = i + 1;
	}
	return best;
}

static void permute(struct run_place *runs, size_t n, struct random_state *random)
{
	for (size_t i = n; i > 1; i--) {
		const size_t other = random_next(random) % i;
		const double cost = runs[other].cost;

		runs[other].cost = runs[i - 1].cost;
		runs[i - 1].cost = cost;
	}
}

bool run_places_part(const struct run_places *places, struct run_parting *ret)
{
	struct random_state random = {.state = 1};
	struct run_place *runs;
	double total = 0, low = 0, best;
	size_t at, ignored, i, as_good = 0;

	if (places->n < RUN_PLACES_LEAST)
		return false;
	runs = mem_copy(places->runs, places->n, sizeof(*runs));
	for (i = 0; i < places->n; i++)
		total += runs[i].cost;
	qsort(runs, places->n, sizeof(*runs), by_place);
	best = best_parting(runs, places->n, total, &at);
	for (i = 0; i < at; i++)
		low += runs[i].cost;
	if (at)
		*ret = (struct run_parting){.border = runs[at - 1].place,
					    .between = best,
					    .times = (total - low) / (double)(places->n - at) /
						     (low / (double)at)};
	for (i = 0; i < PERMUTATIONS && at; i++) {
		permute(runs, places->n, &random);
		as_good += best_parting(runs, places->n, total, &ignored) >= best * (1 - 1e-9);
	}
	ret->p = (1 + (double)as_good) / (1 + PERMUTATIONS);
	free(runs);
	return at > 0;
}

/* Where runs are of fewer calls, calls are what there is. */
enum { CALLS_LEAST = 4 };

static bool runs_tell(const struct run_places *places)
{
	double low = INFINITY, high = 0;
	struct run_parting parting;

	if (places->n >= RUN_PLACES_LEAST)
		return run_places_part(places, &parting) && parting.p <= RUN_PLACES_CHANCE;
	for (size_t i = 0; i < places->n; i++) {
		low = fmin(low, places->runs[i].cost);
		high = fmax(high, places->runs[i].cost);
	}
	return high > RUN_PLACES_TIMES * low;
}

bool run_places_doubt(const struct samples *samples, const struct column *metric,
		      const struct column *column)
{
	struct run_places places = {0};
	bool found;

	if (!samples->n_rows || samples->keys[0].run == samples->keys[samples->n_rows - 1].run ||
	    column->provenance == FROM_SYSTEM || column->provenance == FROM_IMPORT ||
	    metric_is_exact(metric->metric) || !run_places_are(samples, column))
		return false;
	run_places_add(&places, samples, metric, column);
	found = samples->n_rows >= CALLS_LEAST * places.n && !runs_tell(&places);
	run_places_deinit(&places);
	return found;
}
