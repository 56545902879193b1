/* Groups calls, fits their cheapest, and tests that nearly all others lie above. */
#include "envelope.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/run.h"
#include "model/data/row_order.h"
#include "model/data/stats.h"
#include "model/regression/deviation.h"
#include "model/regression/regress.h"
#include "model/regression/correlation_screen.h"

enum { GROUPS_MIN = 10, GROUPS_MAX = 40, GROUP_ROWS_MIN = 8 };

/* Significance of the order of the cheapest calls, over all candidate features. */
#define SIGNIFICANCE 0.001
#define R2_MIN       0.9
/* The part of the groups whose cheapest call may be an outlier. */
#define FAR_MOST 0.1
/* At most BELOW_MOST of all calls may lie further below, in deviations of the cheapest calls. */
#define BELOW_DEVIATIONS 3.0
#define BELOW_MOST       0.02

struct call {
	double x, y;
	size_t at; /* in the order of the data */
};

struct envelope {
	const struct dataset *data;
	struct call *calls;      /* [n_rows] by x, then cost */
	size_t ends[GROUPS_MAX]; /* ends of groups in `calls` */
	size_t n_groups;
	struct call lowest[GROUPS_MAX];
};

static int envelope_compare_calls(const void *a, const void *b)
{
	const struct call *left = a;
	const struct call *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	if (left->y != right->y)
		return left->y < right->y ? -1 : 1;
	return (left->at > right->at) - (left->at < right->at);
}

static int compare_costs(const void *a, const void *b)
{
	const struct call *left = a;
	const struct call *right = b;

	if (left->y != right->y)
		return left->y < right->y ? -1 : 1;
	return envelope_compare_calls(a, b);
}

/* False: some call lacks the feature. */
static bool read_calls(struct envelope *envelope, const struct column *column)
{
	const struct dataset *data = envelope->data;
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];

		if (column->absence[row] != PRESENT || !isfinite(column->numbers[row]))
			return false;
		envelope->calls[i] =
			(struct call){column->numbers[row], data->metric->numbers[row], i};
	}
	qsort(envelope->calls, data->n_rows, sizeof(*envelope->calls), envelope_compare_calls);
	return true;
}

/* Groups of about equal size, equal values together. False: too few. */
static bool envelope_make_groups(struct envelope *envelope)
{
	const size_t n = envelope->data->n_rows;
	const size_t groups = fmax(GROUPS_MIN, fmin(sqrt(n), GROUPS_MAX));
	const size_t size = fmax(GROUP_ROWS_MIN, n / groups);
	size_t begin = 0;
	size_t i;

	envelope->n_groups = 0;
	for (i = 1; i <= n; i++) {
		const bool last = i == n;

		if (!last && (i - begin < size || envelope->calls[i].x == envelope->calls[i - 1].x))
			continue;
		if (last && i - begin < size && envelope->n_groups)
			envelope->n_groups--;
		if (envelope->n_groups == GROUPS_MAX)
			return false;
		envelope->ends[envelope->n_groups++] = i;
		begin = i;
	}
	return envelope->n_groups >= GROUPS_MIN;
}

/*
 * The minimum of more calls is lower, so larger groups give a low quantile: the expected minimum of
 * as many calls as the smallest group has.
 */
static void take_lowest(struct envelope *envelope)
{
	size_t least = SIZE_MAX;
	size_t begin = 0;
	size_t g;

	for (g = 0; g < envelope->n_groups; begin = envelope->ends[g++])
		least = envelope->ends[g] - begin < least ? envelope->ends[g] - begin : least;
	begin = 0;
	for (g = 0; g < envelope->n_groups; begin = envelope->ends[g++]) {
		const size_t size = envelope->ends[g] - begin;
		const size_t rank = fmax(1, floor((size + 1.0) / (least + 1.0) + 0.5));

		qsort(envelope->calls + begin, size, sizeof(*envelope->calls), compare_costs);
		envelope->lowest[g] = envelope->calls[begin + rank - 1];
	}
}

/* The p-value of the cheapest calls' rank correlation with the feature. */
static double find_chance(const struct envelope *envelope)
{
	const size_t n = envelope->n_groups;
	double x[GROUPS_MAX], y[GROUPS_MAX];
	size_t g;

	for (g = 0; g < n; g++) {
		x[g] = g;
		y[g] = envelope->lowest[g].y;
	}
	return stats_rank_chance(row_order_correlation(x, y, n), n);
}

/* The cheapest calls alone, with one feature. */
static struct dataset *take_part(const struct envelope *envelope, const struct column *column)
{
	unsigned char *is_lowest = mem_alloc(envelope->data->n_rows);
	const struct predictor *predictor;
	struct dataset *part;
	size_t i;

	for (i = 0; i < envelope->n_groups; i++)
		is_lowest[envelope->lowest[i].at] = true;
	part = dataset_marked(envelope->data, is_lowest, true);
	free(is_lowest);
	predictor = dataset_find_predictor(part, column);
	if (predictor)
		part->predictors[0] = *predictor;
	part->n_predictors = predictor != NULL;
	return part;
}

/* All calls' distances from the envelope. False: too many below it, or rising with the cost. */
static bool measure_distances(const struct envelope *envelope, struct fit *fit)
{
	const size_t n = envelope->data->n_rows;
	const double lowest = fit->deviation * BELOW_DEVIATIONS;
	double *distances = mem_alloc(2 * n * sizeof(*distances));
	double *means = distances + n;
	double square = 0, base, part;
	size_t below = 0;
	size_t i;
	bool grows;

	fit->above = 0;
	for (i = 0; i < n; i++) {
		means[i] = fit_value(fit, &envelope->calls[i].x);
		distances[i] = envelope->calls[i].y - means[i];
		below += distances[i] < -lowest;
		square += distances[i] * distances[i] / n;
		fit->above = fmax(fit->above, distances[i]);
	}
	fit->deviation = sqrt(square);
	fit->deviation_part = fit->deviation_base = 0;
	grows = deviation_find(distances, means, n, &base, &part);
	free(distances);
	return !grows && below <= BELOW_MOST * n && isfinite(fit->deviation);
}

static bool fit_lowest(const struct envelope *envelope, const struct column *column,
		       const struct model_options *options, struct fit *ret)
{
	struct dataset *part = take_part(envelope, column);
	struct regression regression;
	bool found;

	regress(part, options, &regression);
	found = regression.fit.candidate.basis.n_features && regression.fit.r2 >= R2_MIN &&
		regression.fit.n_far <= FAR_MOST * part->n_rows;
	if (found) {
		*ret = regression.fit;
		ret->is_envelope = true;
		ret->n_lowest = part->n_rows;
		ret->n_used = envelope->data->n_rows;
		ret->n_far = 0;
		ret->is_trend = false;
		found = measure_distances(envelope, ret);
	}
	dataset_destroy(part);
	return found;
}

/*
 * The feature along which the cheapest calls are in the best order; NULL: it may be chance.
 * Overwrites the envelope's calls.
 */
static const struct column *envelope_find_feature(struct envelope *envelope)
{
	const struct dataset *data = envelope->data;
	double best = SIGNIFICANCE / fmax(data->n_predictors, 1);
	const struct column *found = NULL;
	size_t list[STRENGTH_LIST];
	size_t n = correlation_screen_list(data, list);
	size_t i;

	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[list[i]];
		double chance;

		if (predictor->of_system || predictor->returned || predictor->follows ||
		    !read_calls(envelope, predictor->column) || !envelope_make_groups(envelope))
			continue;
		take_lowest(envelope);
		chance = find_chance(envelope);
		if (chance < best) {
			best = chance;
			found = predictor->column;
		}
	}
	return found;
}

bool envelope_find(const struct dataset *data, const struct model_options *options, struct fit *ret)
{
	struct envelope envelope = {.data = data};
	const struct column *column;
	bool found = false;

	if (data->n_rows < GROUPS_MIN * GROUP_ROWS_MIN || !data->n_predictors ||
	    !metric_is_time(data->metric->metric) || data->y_negative)
		return false;
	envelope.calls = mem_alloc(data->n_rows * sizeof(*envelope.calls));
	column = envelope_find_feature(&envelope);
	if (column && read_calls(&envelope, column) && envelope_make_groups(&envelope)) {
		take_lowest(&envelope);
		found = fit_lowest(&envelope, column, options, ret);
	}
	free(envelope.calls);
	return found;
}
