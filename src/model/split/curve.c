/*
 * Chooses among curves of one predictor by robust fits. Shapes are growths, alone and in sums; the
 * sum of all follows any smooth cost, which then needs no cut.
 */
#include "base/mem.h"
#include "curve_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "model/regression/growth_column.h"
#include "model/data/lanes.h"
#include "model/data/row_order.h"
#include "model/regression/score.h"
#include "model/regression/student.h"

enum {
	ROUNDS_FIRST = 6,
	ROUNDS_MORE = 2,
	FIT_ROWS = 400, /* twice as many and more: a curve is fitted to a part of them */
};

/* Minimum relative spread, as a part of the usual cost. */
#define SPREAD_LEAST 0.05
/* Bound of the loss of a row. */
#define LOSS_MOST 8.0
/* Minimum rows per parameter. */
#define ROWS_A_PARAMETER 5

/* The others start from the fit of the first; roots and logarithms need positive predictors. */
static const struct curve_shape shapes[] = {
	{3, {GROWTH_CONSTANT, GROWTH_LINEAR, GROWTH_QUADRATIC}, false},
	{2, {GROWTH_CONSTANT, GROWTH_LINEAR}, false},
	{2, {GROWTH_CONSTANT, GROWTH_QUADRATIC}, false},
	{2, {GROWTH_CONSTANT, GROWTH_CUBIC}, false},
	{2, {GROWTH_CONSTANT, GROWTH_LOG}, true},
	{2, {GROWTH_CONSTANT, GROWTH_SQRT}, true},
	{3, {GROWTH_CONSTANT, GROWTH_LINEAR, GROWTH_NLOGN}, true},
	{6,
	 {GROWTH_CONSTANT, GROWTH_LINEAR, GROWTH_QUADRATIC, GROWTH_LOG, GROWTH_SQRT, GROWTH_NLOGN},
	 true},
};

enum { SHAPE_COUNT = sizeof(shapes) / sizeof(*shapes) };

static double usual_cost(const struct dataset *data)
{
	double sum = 0;
	double *sizes = mem_alloc(data->n_choice * sizeof(*sizes));
	size_t n = data->n_choice;
	size_t i;

	for (i = 0; i < n; i++) {
		sizes[i] = fabs(data->y[i]);
		sum += sizes[i];
	}
	row_order_sort_numbers(sizes, n);
	sum = sizes[n / 2] > 0 ? sizes[n / 2] : sum / (double)n;
	free(sizes);
	return sum;
}

struct curve_fitter *curve_fitter_create(struct arena *arena, const struct rank_regression *ranking)
{
	struct curve_fitter *fitter = arena_new(arena, struct curve_fitter);
	const struct dataset *data = ranking->data;
	size_t n = data->n_choice;
	unsigned i;

	fitter->arena = arena;
	fitter->ranking = ranking;
	fitter->n_choice = n;
	fitter->level = usual_cost(data);
	fitter->floor = hypot(SPREAD_LEAST * fitter->level,
			      data->y_max > 0 ? 20 * data->resolution / data->y_max : 0);
	fitter->rows = arena_array(arena, uint16_t, n);
	fitter->y = arena_array(arena, double, n);
	fitter->value = arena_array(arena, double, n);
	fitter->weight = arena_array(arena, double, n);
	fitter->target = arena_array(arena, double, n);
	fitter->residual = arena_array(arena, double, n);
	fitter->x = arena_array(arena, double, n);
	fitter->log_x = arena_array(arena, double, n);
	fitter->logs = arena_array(arena, double *, data->n_predictors);
	fitter->bent = arena_array(arena, double, n);
	curve_fit_bend(fitter, data->y);
	for (i = 0; i < GROWTH_FIXED; i++)
		fitter->columns[i] = arena_array(arena, double, n);
	for (i = 0; i < CURVE_TERMS; i++)
		fitter->q[i] = arena_array(arena, double, n);
	return fitter;
}

double curve_rows(const struct curve_fitter *fitter)
{
	return score_rows(fitter->n_choice);
}

/*
 * Scale x, and its logarithm, bounded at 0: shifted by one for integers, by a thousandth of the
 * largest for others.
 */
static void scale_x(const struct predictor *predictor, double x, double *scaled, double *log_x)
{
	double largest = fmax(fabs(predictor->min), fabs(predictor->max));
	double shift = predictor->column->type == FEATURE_INT ? 1 / largest : 1e-3;

	*scaled = x / largest;
	*log_x = predictor->min < 0 ? 0 : log(*scaled + (predictor->min > 0 ? 0 : shift));
}

double curve_value(const struct curve *curve, size_t row)
{
	const struct predictor *predictor = curve->predictor;
	const struct curve_shape *shape = &shapes[curve->shape];
	double value = 0;
	double x, log_x;
	unsigned i;

	if (!predictor || !predictor->present[row])
		return curve->otherwise;
	scale_x(predictor, predictor->x[row], &x, &log_x);
	for (i = 0; i < shape->n; i++)
		value += curve->coefficients[i] * growth_product(shape->terms[i], x, log_x);
	return value;
}

static void gather_constant(struct curve_fitter *fitter, const uint8_t *sides, enum side which)
{
	size_t i;

	fitter->n = 0;
	for (i = 0; i < fitter->n_choice; i++) {
		if (sides[i] != which)
			continue;
		fitter->rows[fitter->n] = (uint16_t)i;
		fitter->columns[GROWTH_CONSTANT][fitter->n] = 1;
		fitter->y[fitter->n++] = fitter->ranking->data->y[i];
	}
}

/* Logarithms of all rows are taken once. */
static const double *logs_of(struct curve_fitter *fitter, const struct predictor *predictor)
{
	const size_t number = predictor - fitter->ranking->data->predictors;
	double scaled;
	size_t i;

	if (fitter->logs[number])
		return fitter->logs[number];
	fitter->logs[number] = arena_array(fitter->arena, double, fitter->n_choice);
	for (i = 0; i < fitter->n_choice; i++)
		if (predictor->present[i])
			scale_x(predictor, predictor->x[i], &scaled, &fitter->logs[number][i]);
	return fitter->logs[number];
}

/* Every @step-th of the rows on the side @which, in the order of the predictor. */
static void curve_gather(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
			 size_t number, size_t step)
{
	const struct dataset *data = fitter->ranking->data;
	const struct predictor *predictor = &data->predictors[number];
	const struct order *order = &fitter->ranking->orders[number];
	const double largest = fmax(fabs(predictor->min), fabs(predictor->max));
	const double *logs = logs_of(fitter, predictor);
	size_t skip = step / 2;
	unsigned term;
	size_t i;

	fitter->n = 0;
	for (i = 0; i < order->n; i++) {
		size_t row = order->places[i].row;

		if (sides[row] != which)
			continue;
		if (skip--)
			continue;
		skip = step - 1;
		fitter->x[fitter->n] = predictor->x[row] / largest;
		fitter->log_x[fitter->n] = logs[row];
		fitter->rows[fitter->n] = (uint16_t)row;
		fitter->y[fitter->n++] = data->y[row];
	}
	for (term = 0; term < GROWTH_FIXED; term++)
		growth_column_fill(term, fitter->x, fitter->log_x, fitter->n,
				   fitter->columns[term]);
}

/* The sum of the losses of the residuals over @scale. */
LANES static double sum_of_losses(const double *residuals, size_t n, double scale)
{
	/* The square at which the loss is LOSS_MOST. */
	const double most = ROBUST_FREEDOM * expm1(LOSS_MOST / (ROBUST_FREEDOM + 1));
	const double part = 1 / scale;
	struct lanes_logs logs;
	lanes_row some;
	size_t i;

	lanes_logs_init(&logs);
	for (i = 0; i < n; i += LANES_WIDE) {
		lanes_load_some(residuals + i, n - i < LANES_WIDE ? n - i : LANES_WIDE, 0, &some);
		some *= part;
		some *= some;
		lanes_bound(&some, most);
		some = 1 + some / ROBUST_FREEDOM;
		lanes_logs_add(&logs, &some);
	}
	return (ROBUST_FREEDOM + 1) * lanes_logs_total(&logs, i);
}

/* Deviance of the residuals; @log_spreads: sum of log spreads. */
static double deviance_of(const struct curve_fitter *fitter, double scale, double log_spreads)
{
	return 2 * (double)fitter->n * log(scale) + 2 * log_spreads +
	       sum_of_losses(fitter->residual, fitter->n, scale);
}

static double penalty_of(const struct curve_fitter *fitter, const struct curve *curve)
{
	double n_predictors = (double)fitter->ranking->data->n_predictors;

	return score_penalty(curve->n_params, curve_rows(fitter)) +
	       (curve->predictor ? 2 * log(n_predictors) : 0);
}

/* Residuals over the spread of the present values; returns the sum of the spreads' logarithms. */
LANES static double curve_residuals(struct curve_fitter *fitter, enum spread spread)
{
	double *spreads = fitter->target;
	size_t i;

	curve_fit_spread(fitter, spread, spreads);
	for (i = 0; i < fitter->n; i++)
		fitter->residual[i] = (fitter->y[i] - fitter->value[i]) / spreads[i];
	return lanes_sum_of_logs(spreads, fitter->n) - (double)fitter->n * log(fitter->level);
}

/* The score of the present values, for @n_side rows, some of which may lack the predictor. */
static double score_present(struct curve_fitter *fitter, const struct curve *curve,
			    enum spread spread, size_t n_side)
{
	double part =
		curve_rows(fitter) / (double)fitter->n_choice * (double)n_side / (double)fitter->n;
	double log_spreads = curve_residuals(fitter, spread);

	return part * deviance_of(fitter, curve_fit_rescale(fitter, curve->n_params), log_spreads) +
	       penalty_of(fitter, curve);
}

static bool is_allowed(const struct predictor *predictor, const struct curve_shape *shape, size_t n)
{
	if (shape->n > 2 && predictor->distinct < DISTINCT_MAX - 1)
		return false;
	return shape->n * ROWS_A_PARAMETER <= n && !(shape->rooted && predictor->min < 0);
}

/* Fit all shapes to the rows that were gathered; the others start from the first. */
static void fit_shapes(struct curve_fitter *fitter, enum spread spread, struct curve *ret)
{
	unsigned shape;

	curve_fit_start(fitter);
	curve_fit(fitter, &shapes[0], spread, ROUNDS_FIRST, &ret[0]);
	for (shape = SHAPE_COUNT; shape-- > 0;) {
		ret[shape] = ret[0];
		ret[shape].shape = shape;
		if (!is_allowed(ret[0].predictor, &shapes[shape], fitter->n))
			continue;
		curve_fit_evaluate(fitter, &shapes[0], ret[0].coefficients);
		curve_fit(fitter, &shapes[shape], spread, ROUNDS_MORE, &ret[shape]);
	}
}

/*
 * Try all shapes of a predictor, fitted to some of the @n rows and judged by all; update @best and
 * @score.
 */
static void try_predictor(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
			  size_t number, enum spread spread, struct curve *best, double *score)
{
	const struct predictor *predictor = &fitter->ranking->data->predictors[number];
	struct curve curves[SHAPE_COUNT] = {{.predictor = predictor, .otherwise = best->otherwise}};
	const size_t n_side = fitter->n_side, n = fitter->n;
	const size_t step = n / FIT_ROWS ? n / FIT_ROWS : 1;
	unsigned shape;

	if (step > 1)
		curve_gather(fitter, sides, which, number, step);
	fit_shapes(fitter, spread, curves);
	if (step > 1)
		curve_gather(fitter, sides, which, number, 1);
	for (shape = 0; shape < SHAPE_COUNT; shape++) {
		double mine;

		if (!is_allowed(predictor, &shapes[shape], n / step))
			continue;
		curve_fit_evaluate(fitter, &shapes[shape], curves[shape].coefficients);
		mine = score_present(fitter, &curves[shape], spread, n_side);
		if (mine >= *score)
			continue;
		*best = curves[shape];
		*score = mine;
	}
}

/* The constant, on which other curves fall back. */
static struct curve find_constant(struct curve_fitter *fitter, enum spread spread, double *score)
{
	static const struct curve_shape constant = {1, {GROWTH_CONSTANT}, false};
	struct curve curve = {0};
	size_t i;

	/* Rows are in metric order: the middle is the median. */
	for (i = 0; i < fitter->n; i++)
		fitter->value[i] = fitter->y[fitter->n / 2];
	curve.n_params = 1;
	curve_fit(fitter, &constant, spread, ROUNDS_FIRST, &curve);
	curve.otherwise = curve.coefficients[0];
	*score = score_present(fitter, &curve, spread, fitter->n);
	return curve;
}

/* Scores of different rows do not compare. */
static bool covers_side(const struct curve_fitter *fitter)
{
	return (double)fitter->n >= 0.9 * (double)fitter->n_side;
}

/* Ranks are the same for all spreads. */
static const struct curve_ranked *curve_rank(struct curve_fitter *fitter, const uint8_t *sides,
					     enum side which)
{
	struct curve_ranked *ranked = &fitter->ranked[which == SIDE_SECOND];

	if (ranked->sides && !memcmp(ranked->sides, sides, fitter->n_choice))
		return ranked;
	if (!ranked->sides)
		ranked->sides = arena_array(fitter->arena, uint8_t, fitter->n_choice);
	memcpy(ranked->sides, sides, fitter->n_choice);
	ranked->n = rank_regression_strongest(
		fitter->ranking, rank_regression_of_metric(fitter->ranking, sides, which), sides,
		which, CURVE_STRONGEST, ranked->strongest);
	return ranked;
}

struct curve curve_find(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
			enum spread spread)
{
	const struct curve_ranked *ranked = curve_rank(fitter, sides, which);
	struct curve best;
	double score;
	size_t i;

	gather_constant(fitter, sides, which);
	best = find_constant(fitter, spread, &score);
	fitter->n_side = fitter->n;
	for (i = 0; i < ranked->n; i++) {
		curve_gather(fitter, sides, which, ranked->strongest[i], 1);
		if (covers_side(fitter))
			try_predictor(fitter, sides, which, ranked->strongest[i], spread, &best,
				      &score);
	}
	return best;
}

/* The values of @curve in all choice rows. */
LANES static void curve_values(struct curve_fitter *fitter, const struct curve *curve, double *ret)
{
	const struct predictor *predictor = curve->predictor;
	const struct curve_shape *shape = &shapes[curve->shape];
	double *x = fitter->x, *column = fitter->log_x;
	double largest;
	unsigned j;
	size_t i;

	for (i = 0; i < fitter->n_choice; i++)
		ret[i] = predictor ? 0 : curve->otherwise;
	if (!predictor)
		return;
	largest = fmax(fabs(predictor->min), fabs(predictor->max));
	for (i = 0; i < fitter->n_choice; i++)
		x[i] = predictor->x[i] / largest;
	for (j = 0; j < shape->n; j++) {
		const double coefficient = curve->coefficients[j];

		growth_column_fill(shape->terms[j], x, logs_of(fitter, predictor), fitter->n_choice,
				   column);
		for (i = 0; i < fitter->n_choice; i++)
			ret[i] += coefficient * column[i];
	}
	for (i = 0; i < fitter->n_choice; i++)
		if (!predictor->present[i])
			ret[i] = curve->otherwise;
}

/* Take the rows of @sides, each with the value of the curve of its side. */
static void take_sides(struct curve_fitter *fitter, const uint8_t *sides, const struct curve *first,
		       const struct curve *second)
{
	double *values[2] = {fitter->q[0], fitter->q[1]};
	size_t row;

	if (first)
		curve_values(fitter, first, values[0]);
	if (second)
		curve_values(fitter, second, values[1]);
	fitter->n = 0;
	for (row = 0; row < fitter->n_choice; row++) {
		if (sides[row] == SIDE_NONE || !(sides[row] == SIDE_SECOND ? second : first))
			continue;
		fitter->value[fitter->n] = values[sides[row] == SIDE_SECOND][row];
		fitter->y[fitter->n++] = fitter->ranking->data->y[row];
	}
}

static bool has_side(const struct curve_fitter *fitter, const uint8_t *sides, bool second)
{
	size_t row;

	for (row = 0; row < fitter->n_choice; row++)
		if (sides[row] != SIDE_NONE && (sides[row] == SIDE_SECOND) == second)
			return true;
	return false;
}

double curve_deviance(struct curve_fitter *fitter, const uint8_t *sides,
		      const struct curve curves[2], enum spread spread)
{
	const struct curve *used[2];
	double log_spreads, penalty = 0;
	size_t n_params = 0;
	unsigned i;

	for (i = 0; i < 2; i++) {
		used[i] = has_side(fitter, sides, i) ? &curves[i] : NULL;
		if (!used[i])
			continue;
		penalty += penalty_of(fitter, used[i]);
		n_params += used[i]->n_params;
	}
	take_sides(fitter, sides, used[0], used[1]);
	log_spreads = curve_residuals(fitter, spread);
	fitter->scale = curve_fit_scale(fitter->residual, fitter->n, n_params);
	return deviance_of(fitter, fitter->scale, log_spreads) * curve_rows(fitter) /
		       (double)fitter->n +
	       penalty;
}

void curve_widths(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
		  const struct curve *curve, enum spread spread, const struct curve_parts *parts,
		  double *ret)
{
	double wide;
	size_t i;

	take_sides(fitter, sides, which == SIDE_FIRST ? curve : NULL,
		   which == SIDE_SECOND ? curve : NULL);
	wide = exp(curve_residuals(fitter, spread) / (double)fitter->n);
	for (i = 0; i < fitter->n; i++)
		fitter->residual[i] = fabs(fitter->residual[i]);
	row_order_sort_numbers(fitter->residual, fitter->n);
	for (i = 0; i < parts->n; i++)
		ret[i] = wide * gsl_stats_quantile_from_sorted_data(fitter->residual, 1, fitter->n,
								    parts->of[i]);
}
