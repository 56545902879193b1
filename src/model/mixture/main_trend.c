/* Which calls are on the law; which law it is exactly is the regression's matter. */
#include "main_trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "core/growth.h"
#include "model/regression/correlation_screen.h"

enum {
	ROWS_MIN_TREND = 40,
	ROWS_COUNTED = 300, /* of more rows some, at even steps, are counted */
	ENDS = 50,          /* laws begin and end at so many of them */
	FEATURES_MAX = 8,
};

/* Of the calls, less is no main trend. */
#define PART_MIN 0.4
/* A call is near a law that is off by so much of its cost at most. */
#define NEAR 0.1
/* A law that hardly varies is no trend but a cluster. */
#define VARIES 1.5
/* The logarithm of how improbable an accident must be, with all laws that were tried. */
#define ACCIDENT -7.0

/* y = a + b * growth(x): those that are tried. */
static const enum growth shapes[] = {GROWTH_LINEAR, GROWTH_QUADRATIC, GROWTH_LOG};

enum { SHAPE_COUNT = sizeof(shapes) / sizeof(*shapes) };

struct counted {
	size_t n;
	double y[ROWS_COUNTED];
	double x[ROWS_COUNTED]; /* of one feature, as it grows */
	size_t by_x[ROWS_COUNTED];
};

struct trend_law {
	const struct column *column;
	enum growth shape;
	double a, b;
	size_t n_near;
};

static double shaped(enum growth shape, double x)
{
	return growth_is_defined(shape, x) ? growth_scaled(shape, x, 1, 1) : NAN;
}

static bool is_near(const struct trend_law *law, double x, double y)
{
	const double mean = law->a + law->b * x;

	return mean > 0 && fabs(y - mean) <= NEAR * mean;
}

/* Rows at even steps, with what @column has there. False: not everywhere. */
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

/* Does the law vary over the calls, and is it a cost in all of them? */
static bool is_law(const struct trend_law *law, const struct counted *rows)
{
	const double low = law->a + law->b * rows->x[rows->by_x[0]];
	const double high = law->a + law->b * rows->x[rows->by_x[rows->n - 1]];

	return fmin(low, high) >= 0 && fmax(low, high) >= VARIES * fmin(low, high);
}

static void try_law(const struct counted *rows, struct trend_law law, struct trend_law *best)
{
	size_t i;

	if (!is_law(&law, rows))
		return;
	for (i = 0; i < rows->n; i++)
		law.n_near += is_near(&law, rows->x[i], rows->y[i]);
	if (law.n_near > best->n_near)
		*best = law;
}

/* Laws through two calls, and those in proportion through one. */
static void try_pairs(const struct counted *rows, const struct column *column, enum growth shape,
		      struct trend_law *best)
{
	const size_t ends = rows->n < ENDS ? rows->n : ENDS;
	size_t i, j;

	for (i = 0; i < ends; i++) {
		const size_t from = rows->by_x[i * rows->n / ends];

		if (rows->x[from] > 0)
			try_law(rows,
				(struct trend_law){column, shape, 0, rows->y[from] / rows->x[from],
						   0},
				best);
		for (j = i + 1; j < ends; j++) {
			const size_t to = rows->by_x[j * rows->n / ends];
			const double width = rows->x[to] - rows->x[from];
			const double b = (rows->y[to] - rows->y[from]) / width;

			if (width > 0)
				try_law(rows,
					(struct trend_law){column, shape,
							   rows->y[from] - b * rows->x[from], b, 0},
					best);
		}
	}
}

/*
 * How many would be near the law if costs had nothing to do with the feature: a part of the rows.
 */
static double part_by_accident(const struct trend_law *law, const struct counted *rows)
{
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < rows->n; i++)
		for (j = 0; j < rows->n; j++)
			n += is_near(law, rows->x[i], rows->y[j]);
	return n / ((double)rows->n * rows->n);
}

/* Of the best of many laws. */
static bool is_accident(const struct trend_law *law, const struct counted *rows, size_t n_features)
{
	const double tried = log((double)n_features * SHAPE_COUNT * ENDS * ENDS / 2);
	const double p = part_by_accident(law, rows);
	const double tail = law->n_near > 0 ? gsl_cdf_binomial_Q(law->n_near - 1, p, rows->n) : 1;

	return tail > 0 && log(tail) + tried > ACCIDENT;
}

static bool find_law(const struct dataset *data, struct trend_law *ret)
{
	struct counted *rows = mem_alloc(sizeof(*rows));
	size_t list[STRENGTH_LIST];
	size_t n = correlation_screen_list(data, list);
	bool found;
	size_t i, j;

	if (n > FEATURES_MAX)
		n = FEATURES_MAX;
	*ret = (struct trend_law){NULL, shapes[0], 0, 0, 0};
	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[list[i]];

		for (j = 0; !predictor->of_system && j < SHAPE_COUNT; j++)
			if (trend_count_rows(data, predictor->column, shapes[j], rows))
				try_pairs(rows, predictor->column, shapes[j], ret);
	}
	found = ret->column && trend_count_rows(data, ret->column, ret->shape, rows) &&
		ret->n_near >= PART_MIN * rows->n && !is_accident(ret, rows, n);
	free(rows);
	return found;
}

bool main_trend_find(const struct dataset *data, unsigned char *ret)
{
	struct trend_law law;
	size_t i;

	if (data->n_rows < ROWS_MIN_TREND || data->n_predictors == 0 || !find_law(data, &law))
		return false;
	for (i = 0; i < data->n_rows; i++) {
		const size_t row = data->order[i];
		const bool known = law.column->absence[row] == PRESENT;

		ret[i] = !known || !is_near(&law, shaped(law.shape, law.column->numbers[row]),
					    data->metric->numbers[row]);
	}
	return true;
}
