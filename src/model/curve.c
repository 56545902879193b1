/*
 * Robust fits of curves of one predictor. The shapes are classes of growth, alone and in sums; a sum of all of them follows any smooth
 * law closely, so that no cut is needed for it.
 */
#include "model/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_FIRST = 6, ROUNDS_MORE = 2, ROUNDS_SCALE = 8, NEIGHBOURS = 5 };

/* A relative spread is never less than this part of the usual cost. */
#define SPREAD_LEAST 0.05
/* Residuals over their spread below this are no different: no machine is more exact than that. */
#define SCALE_LEAST 1e-3
/* A residual counts as at most so many scales: in the scale, and in the deviance. */
#define SCALE_CLIP 3.0
#define LOSS_MOST  8.0
/* Columns that differ by less from those before are not there. */
#define COLUMN_LEAST 1e-6
/* Rows that a parameter takes at least. */
#define ROWS_A_PARAMETER 5

enum term {
	T_ONE,
	T_X,
	T_SQUARE,
	T_LOG,
	T_SQRT,
	T_XLOG,
	T_CUBE,
	T_COUNT,
};

/* The first is fitted first and the others start from it; those with roots and logarithms are for positive predictors. */
static const struct shape {
	unsigned n;
	enum term terms[CURVE_TERMS];
	bool rooted;
} shapes[] = {
	{3, {T_ONE, T_X, T_SQUARE}, false},
	{2, {T_ONE, T_X}, false},
	{2, {T_ONE, T_SQUARE}, false},
	{2, {T_ONE, T_CUBE}, false},
	{2, {T_ONE, T_LOG}, true},
	{2, {T_ONE, T_SQRT}, true},
	{3, {T_ONE, T_X, T_XLOG}, true},
	{6, {T_ONE, T_X, T_SQUARE, T_LOG, T_SQRT, T_XLOG}, true},
};

enum { SHAPE_COUNT = sizeof(shapes) / sizeof(*shapes) };

struct curve_fitter {
	const struct ranking *ranking;
	size_t n_choice;
	double level; /* the median of the metric, or its mean where that is 0 */
	double floor; /* the least relative spread */
	double scale; /* of the last deviance */
	size_t n;     /* rows of the present fit, in the order of its predictor */
	uint16_t *rows;
	double *y, *value, *weight, *target, *residual;
	double *columns[T_COUNT];
	double *q[CURVE_TERMS];
};

static double usual_cost(const struct data *data)
{
	double sum = 0;
	double *sizes = mem_alloc(data->n_choice * sizeof(*sizes));
	size_t n = data->n_choice;
	size_t i, j, gap;

	for (i = 0; i < n; i++) {
		sizes[i] = fabs(data->y[i]);
		sum += sizes[i];
	}
	/* Shell's sort: nearly sorted already, unless some are negative. */
	for (gap = n / 2; gap > 0; gap /= 2)
		for (i = gap; i < n; i++)
			for (j = i; j >= gap && sizes[j - gap] > sizes[j]; j -= gap) {
				double other = sizes[j];

				sizes[j] = sizes[j - gap];
				sizes[j - gap] = other;
			}
	sum = sizes[n / 2] > 0 ? sizes[n / 2] : sum / (double)n;
	free(sizes);
	return sum;
}

struct curve_fitter *curve_fitter_create(struct arena *arena, const struct ranking *ranking)
{
	struct curve_fitter *fitter = arena_new(arena, struct curve_fitter);
	const struct data *data = ranking->data;
	size_t n = data->n_choice;
	unsigned i;

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
	for (i = 0; i < T_COUNT; i++)
		fitter->columns[i] = arena_array(arena, double, n);
	for (i = 0; i < CURVE_TERMS; i++)
		fitter->q[i] = arena_array(arena, double, n);
	return fitter;
}

double curve_rows(const struct curve_fitter *fitter)
{
	return fmin((double)fitter->n_choice, CURVE_ROWS);
}

/* The value of a term; @x over the largest absolute value, so that no power leaves the range of numbers. */
static double term_value(enum term term, double x, double log_x)
{
	switch (term) {
	case T_ONE:
		return 1;
	case T_X:
		return x;
	case T_SQUARE:
		return x * x;
	case T_LOG:
		return log_x;
	case T_SQRT:
		return sqrt(fmax(x, 0));
	case T_XLOG:
		return x * log_x;
	case T_CUBE:
		return x * x * x;
	case T_COUNT:
		break;
	}
	return 0;
}

/* What x is scaled by, and its logarithm, which has an end at 0: one below a whole number, a thousandth of the largest below others. */
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
	const struct shape *shape = &shapes[curve->shape];
	double value = 0;
	double x, log_x;
	unsigned i;

	if (!predictor || !predictor->present[row])
		return curve->otherwise;
	scale_x(predictor, predictor->x[row], &x, &log_x);
	for (i = 0; i < shape->n; i++)
		value += curve->coefficients[i] * term_value(shape->terms[i], x, log_x);
	return value;
}

double curve_spread(const struct curve_fitter *fitter, enum spread spread, double value)
{
	switch (spread) {
	case SPREAD_RELATIVE:
		return sqrt(value * value + fitter->floor * fitter->floor);
	case SPREAD_EVEN:
	case SPREAD_COUNT:
		break;
	}
	return fitter->level;
}

static void gather_constant(struct curve_fitter *fitter, const uint8_t *sides, enum side which)
{
	size_t i;

	fitter->n = 0;
	for (i = 0; i < fitter->n_choice; i++) {
		if (sides[i] != which)
			continue;
		fitter->rows[fitter->n] = (uint16_t)i;
		fitter->columns[T_ONE][fitter->n] = 1;
		fitter->y[fitter->n++] = fitter->ranking->data->y[i];
	}
}

static void gather(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
		   size_t predictor)
{
	const struct data *data = fitter->ranking->data;
	const struct order *order = &fitter->ranking->orders[predictor];
	size_t i;

	fitter->n = 0;
	for (i = 0; i < order->n; i++) {
		size_t row = order->places[i].row;
		double x, log_x;
		unsigned term;

		if (sides[row] != which)
			continue;
		scale_x(&data->predictors[predictor], data->predictors[predictor].x[row], &x,
			&log_x);
		for (term = 0; term < T_COUNT; term++)
			fitter->columns[term][fitter->n] = term_value(term, x, log_x);
		fitter->rows[fitter->n] = (uint16_t)row;
		fitter->y[fitter->n++] = data->y[row];
	}
}

/* Start from the middle of the neighbours' costs, in which a far call counts little. */
static void start_values(struct curve_fitter *fitter)
{
	size_t n = fitter->n;
	double sum = 0;
	size_t from = 0, to = 0;
	size_t i;

	for (i = 0; i < n; i++)
		fitter->target[i] = asinh(fitter->y[i] / fitter->floor);
	for (i = 0; i < n; i++) {
		for (; to < n && to <= i + NEIGHBOURS; to++)
			sum += fitter->target[to];
		for (; from + NEIGHBOURS < i; from++)
			sum -= fitter->target[from];
		fitter->value[i] = sinh(sum / (double)(to - from)) * fitter->floor;
	}
}

/*
 * The deviation of @n residuals, each counting as at most SCALE_CLIP of them. It is 0 if less than a ninth of them
 * differ from 0.
 */
static double find_scale(const double *residuals, size_t n, size_t n_params)
{
	double freedom = n > n_params + 1 ? (double)(n - n_params) : 1;
	double square = 0;
	unsigned round;
	size_t i;

	for (i = 0; i < n; i++)
		square += fabs(residuals[i]);
	square = square / (double)n * square / (double)n;
	for (round = 0; round < ROUNDS_SCALE; round++) {
		double most = SCALE_CLIP * SCALE_CLIP * square;
		double sum = 0;

		for (i = 0; i < n; i++)
			sum += fmin(residuals[i] * residuals[i], most);
		square = sum / (double)n;
	}
	return fmax(sqrt(square * (double)n / freedom), SCALE_LEAST);
}

static double loss_of(double residual)
{
	return fmin(5 * log1p(residual * residual / 4), LOSS_MOST);
}

/* Weights of Student's t, over the squared spread, as square roots. */
static void weigh(struct curve_fitter *fitter, enum spread spread, size_t n_params)
{
	double scale;
	size_t i;

	for (i = 0; i < fitter->n; i++)
		fitter->residual[i] = (fitter->y[i] - fitter->value[i]) /
				      curve_spread(fitter, spread, fitter->value[i]);
	scale = find_scale(fitter->residual, fitter->n, n_params);
	for (i = 0; i < fitter->n; i++) {
		double relative = fitter->residual[i] / scale;

		fitter->weight[i] = sqrt(5 / (4 + relative * relative)) /
				    curve_spread(fitter, spread, fitter->value[i]);
	}
}

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

static void subtract(double *from, double times, const double *what, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		from[i] -= times * what[i];
}

/* Least squares with the present weights, by Gram and Schmidt. Returns the number of columns that count. */
static unsigned solve(struct curve_fitter *fitter, const struct shape *shape, double *ret)
{
	double r[CURVE_TERMS][CURVE_TERMS] = {{0}};
	double z[CURVE_TERMS] = {0};
	unsigned n_params = 0;
	size_t n = fitter->n;
	unsigned i, j;
	size_t row;

	for (row = 0; row < n; row++)
		fitter->target[row] = fitter->weight[row] * fitter->y[row];
	for (j = 0; j < shape->n; j++) {
		double *q = fitter->q[j];
		double before, after;

		for (row = 0; row < n; row++)
			q[row] = fitter->weight[row] * fitter->columns[shape->terms[j]][row];
		before = sqrt(dot(q, q, n));
		for (i = 0; i < j; i++) {
			r[i][j] = r[i][i] > 0 ? dot(fitter->q[i], q, n) : 0;
			subtract(q, r[i][j], fitter->q[i], n);
		}
		after = sqrt(dot(q, q, n));
		if (!(after > COLUMN_LEAST * before))
			continue;
		r[j][j] = after;
		for (row = 0; row < n; row++)
			q[row] /= after;
		z[j] = dot(q, fitter->target, n);
		subtract(fitter->target, z[j], q, n);
		n_params++;
	}
	for (j = shape->n; j-- > 0;) {
		ret[j] = 0;
		if (r[j][j] <= 0)
			continue;
		for (i = j + 1; i < shape->n; i++)
			z[j] -= r[j][i] * ret[i];
		ret[j] = z[j] / r[j][j];
	}
	return n_params;
}

static void evaluate(struct curve_fitter *fitter, const struct curve *curve)
{
	const struct shape *shape = &shapes[curve->shape];
	size_t i;
	unsigned j;

	memset(fitter->value, 0, fitter->n * sizeof(*fitter->value));
	for (j = 0; j < shape->n; j++)
		for (i = 0; i < fitter->n; i++)
			fitter->value[i] +=
				curve->coefficients[j] * fitter->columns[shape->terms[j]][i];
}

static void fit_rounds(struct curve_fitter *fitter, struct curve *curve, enum spread spread,
		       unsigned rounds)
{
	while (rounds--) {
		weigh(fitter, spread, curve->n_params);
		curve->n_params = solve(fitter, &shapes[curve->shape], curve->coefficients);
		evaluate(fitter, curve);
	}
}

/* The deviance of the residuals in the fitter, without the spreads' part, which is @log_spreads. */
static double deviance_of(const struct curve_fitter *fitter, double scale, double log_spreads)
{
	double sum = 2 * (double)fitter->n * log(scale) + 2 * log_spreads;
	size_t i;

	for (i = 0; i < fitter->n; i++)
		sum += loss_of(fitter->residual[i] / scale);
	return sum;
}

static double penalty_of(const struct curve_fitter *fitter, const struct curve *curve)
{
	double n_predictors = (double)fitter->ranking->data->n_predictors;

	return curve->n_params * log(curve_rows(fitter)) +
	       (curve->predictor ? 2 * log(n_predictors) : 0);
}

/* The score of the present values, which stand for @n_side rows: some may lack the predictor. */
static double score_present(struct curve_fitter *fitter, const struct curve *curve,
			    enum spread spread, size_t n_side)
{
	double part =
		curve_rows(fitter) / (double)fitter->n_choice * (double)n_side / (double)fitter->n;
	double log_spreads = 0;
	size_t i;

	for (i = 0; i < fitter->n; i++) {
		double wide = curve_spread(fitter, spread, fitter->value[i]);

		fitter->residual[i] = (fitter->y[i] - fitter->value[i]) / wide;
		log_spreads += log(wide / fitter->level);
	}
	return part * deviance_of(fitter, find_scale(fitter->residual, fitter->n, curve->n_params),
				  log_spreads) +
	       penalty_of(fitter, curve);
}

static bool is_allowed(const struct curve_fitter *fitter, const struct predictor *predictor,
		       const struct shape *shape)
{
	if (shape->n > 2 && predictor->distinct < DISTINCT_MAX - 1)
		return false;
	return shape->n * ROWS_A_PARAMETER <= fitter->n && !(shape->rooted && predictor->min < 0);
}

/* Try all shapes of one predictor; @best and @score are those so far. */
static void try_predictor(struct curve_fitter *fitter, size_t number, size_t n_side,
			  enum spread spread, struct curve *best, double *score)
{
	const struct predictor *predictor = &fitter->ranking->data->predictors[number];
	struct curve first = {.predictor = predictor, .otherwise = best->otherwise};
	unsigned shape;

	start_values(fitter);
	fit_rounds(fitter, &first, spread, ROUNDS_FIRST);
	for (shape = 0; shape < SHAPE_COUNT; shape++) {
		struct curve curve = first;
		double mine;

		if (!is_allowed(fitter, predictor, &shapes[shape]))
			continue;
		evaluate(fitter, &first);
		curve.shape = shape;
		fit_rounds(fitter, &curve, spread, ROUNDS_MORE);
		mine = score_present(fitter, &curve, spread, n_side);
		if (mine >= *score)
			continue;
		*best = curve;
		*score = mine;
	}
}

/* A constant is a straight line without its slope; other curves fall back on it. */
static struct curve find_constant(struct curve_fitter *fitter, enum spread spread, double *score)
{
	static const struct shape constant = {1, {T_ONE}, false};
	struct curve curve = {0};
	unsigned round;
	size_t i;

	/* Rows come in the order of the metric: the middle one is the median. */
	curve.otherwise = fitter->y[fitter->n / 2];
	for (round = 0; round < ROUNDS_FIRST; round++) {
		for (i = 0; i < fitter->n; i++)
			fitter->value[i] = curve.otherwise;
		weigh(fitter, spread, 1);
		curve.n_params = solve(fitter, &constant, &curve.otherwise);
	}
	for (i = 0; i < fitter->n; i++)
		fitter->value[i] = curve.otherwise;
	*score = score_present(fitter, &curve, spread, fitter->n);
	return curve;
}

/* The score of other rows is no score. */
static bool covers_side(const struct curve_fitter *fitter, size_t n_side)
{
	return (double)fitter->n >= 0.9 * (double)n_side;
}

struct curve curve_find(struct curve_fitter *fitter, const uint8_t *sides, enum side which,
			enum spread spread)
{
	size_t strongest[CURVE_STRONGEST];
	struct curve best;
	size_t n_side, n, i;
	double score;

	gather_constant(fitter, sides, which);
	best = find_constant(fitter, spread, &score);
	n_side = fitter->n;
	n = ranking_strongest(fitter->ranking, ranking_of_metric(fitter->ranking, sides, which),
			      sides, which, CURVE_STRONGEST, strongest);
	for (i = 0; i < n; i++) {
		gather(fitter, sides, which, strongest[i]);
		if (covers_side(fitter, n_side))
			try_predictor(fitter, strongest[i], n_side, spread, &best, &score);
	}
	return best;
}

double curve_deviance(struct curve_fitter *fitter, const uint8_t *sides,
		      const struct curve curves[2], enum spread spread)
{
	double log_spreads = 0, penalty = 0;
	size_t n_params = 0;
	unsigned used = 0;
	size_t row;

	fitter->n = 0;
	for (row = 0; row < fitter->n_choice; row++) {
		const struct curve *curve = &curves[sides[row] == SIDE_SECOND];
		double value, wide;

		if (sides[row] == SIDE_NONE)
			continue;
		used |= 1u << (sides[row] == SIDE_SECOND);
		value = curve_value(curve, row);
		wide = curve_spread(fitter, spread, value);
		log_spreads += log(wide / fitter->level);
		fitter->residual[fitter->n++] = (fitter->ranking->data->y[row] - value) / wide;
	}
	for (row = 0; row < 2; row++) {
		if (!(used & 1u << row))
			continue;
		penalty += penalty_of(fitter, &curves[row]);
		n_params += curves[row].n_params;
	}
	fitter->scale = find_scale(fitter->residual, fitter->n, n_params);
	return deviance_of(fitter, fitter->scale, log_spreads) * curve_rows(fitter) /
		       (double)fitter->n +
	       penalty;
}

double curve_loss(const struct curve_fitter *fitter, enum spread spread, size_t row, double value)
{
	double wide = curve_spread(fitter, spread, value);
	double residual = (fitter->ranking->data->y[row] - value) / wide;

	return loss_of(residual / fitter->scale) + 2 * log(wide / fitter->level);
}
