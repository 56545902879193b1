/* Finds the calls near the trend; regression then fits the trend itself. */
#include "main_trend.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "core/growth.h"
#include "model/regression/correlation_screen.h"

enum {
	ROWS_MIN_TREND = 40,
	ROWS_COUNTED = 300, /* of more rows this many, at even steps */
	ENDS = 50,          /* candidate curves start and end at so many calls */
	FEATURES_MAX = 8,
};

/* Smaller parts of the calls are no main trend. */
#define PART_MIN 0.4
/* Largest relative distance of a call near a curve. */
#define NEAR 0.1
/* A curve that varies less is a cluster. */
#define VARIES 1.5
/* Log significance, over all curves that were tried. */
#define LOG_SIGNIFICANCE -7.0

/* Shapes tried: y = a + b * growth(x). */
static const enum growth shapes[] = {GROWTH_LINEAR, GROWTH_QUADRATIC, GROWTH_LOG};

enum { SHAPE_COUNT = sizeof(shapes) / sizeof(*shapes) };

struct counted {
	size_t n;
	double y[ROWS_COUNTED];
	double x[ROWS_COUNTED]; /* of one feature, as the shape scales it */
	size_t by_x[ROWS_COUNTED];
};

struct trend_curve {
	const struct column *column;
	enum growth shape;
	double a, b;
	size_t n_near;
};

static double shaped(enum growth shape, double x)
{
	return growth_is_defined(shape, x) ? growth_scaled(shape, x, 1, 1) : NAN;
}

static bool is_near(const struct trend_curve *curve, double x, double y)
{
	const double mean = curve->a + curve->b * x;

	return mean > 0 && fabs(y - mean) <= NEAR * mean;
}

/* Rows at even steps, with their values in @column. False: one has none. */
static bool trend_count_rows(const struct dataset *data, const struct column *column,
			     enum growth shape, struct counted *ret)
{
	size_t i;

	ret->n = data->n_rows < ROWS_COUNTED ? data->n_rows : ROWS_COUNTED;
	for (i = 0; i < ret->n; i++) {
		const size_t row = data->order[(size_t)((i + 0.5) * data->n_rows / ret->n)];

		ret->x[i] =
			column->absence[row] == PRESENT ? shaped(shape, column->numbers[row]) : NAN;
		ret->y[i] = data->metric->numbers[row];
		if (!isfinite(ret->x[i]))
			return false;
	}
	gsl_sort_index(ret->by_x, ret->x, 1, ret->n);
	return true;
}

/* Does the curve vary over the calls, and is it positive at all of them? */
static bool is_plausible(const struct trend_curve *curve, const struct counted *rows)
{
	const double low = curve->a + curve->b * rows->x[rows->by_x[0]];
	const double high = curve->a + curve->b * rows->x[rows->by_x[rows->n - 1]];

	return fmin(low, high) >= 0 && fmax(low, high) >= VARIES * fmin(low, high);
}

static void try_curve(const struct counted *rows, struct trend_curve curve,
		      struct trend_curve *best)
{
	size_t i;

	if (!is_plausible(&curve, rows))
		return;
	for (i = 0; i < rows->n; i++)
		curve.n_near += is_near(&curve, rows->x[i], rows->y[i]);
	if (curve.n_near > best->n_near)
		*best = curve;
}

/* Curves through two calls, and proportional ones through one. */
static void try_pairs(const struct counted *rows, const struct column *column, enum growth shape,
		      struct trend_curve *best)
{
	const size_t ends = rows->n < ENDS ? rows->n : ENDS;
	size_t i, j;

	for (i = 0; i < ends; i++) {
		const size_t from = rows->by_x[i * rows->n / ends];

		if (rows->x[from] > 0)
			try_curve(rows,
				  (struct trend_curve){column, shape, 0,
						       rows->y[from] / rows->x[from], 0},
				  best);
		for (j = i + 1; j < ends; j++) {
			const size_t to = rows->by_x[j * rows->n / ends];
			const double width = rows->x[to] - rows->x[from];
			const double b = (rows->y[to] - rows->y[from]) / width;

			if (width > 0)
				try_curve(rows,
					  (struct trend_curve){column, shape,
							       rows->y[from] - b * rows->x[from], b,
							       0},
					  best);
		}
	}
}

/* The part of the rows near the curve if costs were independent of the feature. */
static double part_by_chance(const struct trend_curve *curve, const struct counted *rows)
{
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < rows->n; i++)
		for (j = 0; j < rows->n; j++)
			n += is_near(curve, rows->x[i], rows->y[j]);
	return n / ((double)rows->n * rows->n);
}

/* Allows for the choice of the best curve. */
static bool is_by_chance(const struct trend_curve *curve, const struct counted *rows,
			 size_t n_features)
{
	const double tried = log((double)n_features * SHAPE_COUNT * ENDS * ENDS / 2);
	const double p = part_by_chance(curve, rows);
	const double tail =
		curve->n_near > 0 ? gsl_cdf_binomial_Q(curve->n_near - 1, p, rows->n) : 1;

	return tail > 0 && log(tail) + tried > LOG_SIGNIFICANCE;
}

/* The best curve of one of the @n features in @list that are known early, or only later. */
static bool try_features(const struct dataset *data, const size_t *list, size_t n, bool returned,
			 struct counted *rows, struct trend_curve *ret)
{
	size_t i, j;

	*ret = (struct trend_curve){NULL, shapes[0], 0, 0, 0};
	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[list[i]];

		if (predictor->of_system || predictor->returned != returned)
			continue;
		for (j = 0; j < SHAPE_COUNT; j++)
			if (trend_count_rows(data, predictor->column, shapes[j], rows))
				try_pairs(rows, predictor->column, shapes[j], ret);
	}
	return ret->column && trend_count_rows(data, ret->column, ret->shape, rows) &&
	       ret->n_near >= PART_MIN * rows->n && !is_by_chance(ret, rows, n);
}

static bool find_curve(const struct dataset *data, struct trend_curve *ret)
{
	struct counted *rows = mem_alloc(sizeof(*rows));
	size_t list[STRENGTH_LIST];
	size_t n = correlation_screen_list(data, list);
	bool found;

	if (n > FEATURES_MAX)
		n = FEATURES_MAX;
	found = try_features(data, list, n, false, rows, ret) ||
		try_features(data, list, n, true, rows, ret);
	free(rows);
	return found;
}

bool main_trend_find(const struct dataset *data, unsigned char *ret)
{
	struct trend_curve curve;
	size_t i;

	if (data->n_rows < ROWS_MIN_TREND || data->n_predictors == 0 || !find_curve(data, &curve))
		return false;
	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];
		const bool known = curve.column->absence[row] == PRESENT;

		ret[i] = !known || !is_near(&curve, shaped(curve.shape, curve.column->numbers[row]),
					    data->metric->numbers[row]);
	}
	return true;
}
