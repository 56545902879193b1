/*
 * Segmented regression by running sums. Curves are [1, x, x^2] over the row's spread, made
 * orthonormal over all rows; sums of the rows on one side, and what is left of the totals, give the
 * least squares of both by a Cholesky factor of three columns. Source: Muggeo, Estimating
 * regression models with unknown break-points, Statistics in Medicine 22 (2003), for the aim; the
 * way is the exhaustive one of Bai and Perron.
 */
#include "changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { POWERS = 3, CURVES = CURVE_STRONGEST + 1, STOPS = 48 };

/* A pivot that is smaller is none: the rows do not tell the column from those before. */
#define PIVOT_LEAST 1e-9

/* A curve's columns and the metric, at one row. */
struct point {
	double q[POWERS], y;
};

/* Products of those, summed over some rows. */
struct moments {
	double n;
	double qq[6]; /* the lower triangle */
	double qy[POWERS];
	double yy;
};

struct changepoint_search {
	const struct rank_regression *ranking;
	const struct changepoint_target *target;
	size_t n;
	double *x; /* [n] scratch */
	unsigned n_curves;
	size_t predictors[CURVES];
	struct point *points[CURVES]; /* [n]; the last is the feature's own */
};

static void segment_add_point(struct moments *moments, const struct point *p)
{
	moments->n++;
	moments->qq[0] += p->q[0] * p->q[0];
	moments->qq[1] += p->q[1] * p->q[0];
	moments->qq[2] += p->q[1] * p->q[1];
	moments->qq[3] += p->q[2] * p->q[0];
	moments->qq[4] += p->q[2] * p->q[1];
	moments->qq[5] += p->q[2] * p->q[2];
	moments->qy[0] += p->q[0] * p->y;
	moments->qy[1] += p->q[1] * p->y;
	moments->qy[2] += p->q[2] * p->y;
	moments->yy += p->y * p->y;
}

static struct moments rest_of(const struct moments *total, const struct moments *part)
{
	struct moments rest = {.n = total->n - part->n, .yy = total->yy - part->yy};
	unsigned i;

	for (i = 0; i < 6; i++)
		rest.qq[i] = total->qq[i] - part->qq[i];
	for (i = 0; i < POWERS; i++)
		rest.qy[i] = total->qy[i] - part->qy[i];
	return rest;
}

/*
 * The residual squares of @columns parameters, and one for having chosen, as if none had been
 * spent.
 */
static double corrected(double squares, double n, unsigned columns)
{
	return n > columns + 1 ? fmax(squares, 0) * n / (n - columns - 1) : INFINITY;
}

/* The least residual squares of a constant, a line and a parabola. */
static double squares_left(const struct moments *m)
{
	double a = m->qq[0];
	double z0, b, c, d, e, z1, z2, squares, best;

	if (!(a > PIVOT_LEAST))
		return corrected(m->yy, m->n, 0);
	z0 = m->qy[0] / a;
	squares = m->yy - z0 * m->qy[0];
	best = corrected(squares, m->n, 1);
	b = m->qq[1] / a;
	c = m->qq[2] - b * m->qq[1];
	if (!(c > PIVOT_LEAST))
		return best;
	z1 = m->qy[1] - b * m->qy[0];
	squares -= z1 * z1 / c;
	best = fmin(best, corrected(squares, m->n, 2));
	d = m->qq[4] - b * m->qq[3];
	e = m->qq[5] - m->qq[3] * m->qq[3] / a - d * d / c;
	if (!(e > PIVOT_LEAST))
		return best;
	z2 = m->qy[2] - m->qq[3] * z0 - d / c * z1;
	squares -= z2 * z2 / e;
	return fmin(best, corrected(squares, m->n, 3));
}

/* Make a power orthogonal to those before, and of unit length; 0 if nothing is left of it. */
static void make_orthonormal(struct point *points, size_t n, unsigned power)
{
	double before = 0, after = 0;
	unsigned i;
	size_t row;

	for (row = 0; row < n; row++)
		before += points[row].q[power] * points[row].q[power];
	for (i = 0; i < power; i++) {
		double product = 0;

		for (row = 0; row < n; row++)
			product += points[row].q[i] * points[row].q[power];
		for (row = 0; row < n; row++)
			points[row].q[power] -= product * points[row].q[i];
	}
	for (row = 0; row < n; row++)
		after += points[row].q[power] * points[row].q[power];
	after = after > PIVOT_LEAST * before ? 1 / sqrt(after) : 0;
	for (row = 0; row < n; row++)
		points[row].q[power] *= after;
}

/* Fill in the columns of the curve of segmenter->x. */
static void make_points(struct changepoint_search *segmenter, struct point *points)
{
	const struct changepoint_target *target = segmenter->target;
	unsigned power;
	size_t row;

	for (row = 0; row < segmenter->n; row++) {
		double x = segmenter->x[row];

		points[row].q[0] = target->inverse[row];
		points[row].q[1] = target->inverse[row] * x;
		points[row].q[2] = target->inverse[row] * x * x;
		points[row].y = target->y[row];
	}
	for (power = 0; power < POWERS; power++)
		make_orthonormal(points, segmenter->n, power);
}

/* Where it is absent a predictor is taken to be in its middle. */
static void segment_take_predictor(struct changepoint_search *segmenter, size_t number)
{
	const struct predictor *predictor = &segmenter->ranking->data->predictors[number];
	double largest = fmax(fabs(predictor->min), fabs(predictor->max));
	size_t row;

	for (row = 0; row < segmenter->n; row++)
		segmenter->x[row] = predictor->present[row] ? predictor->x[row] / largest : 0.5;
}

/* Where no predictor is any good there is the constant. */
static void make_constant(struct changepoint_search *segmenter)
{
	memset(segmenter->x, 0, segmenter->n * sizeof(*segmenter->x));
	make_points(segmenter, segmenter->points[0]);
}

/*
 * The predictor of the whole's curve is always one, or the whole would be described better by it
 * than by two curves.
 */
static void choose_curves(struct changepoint_search *segmenter)
{
	const struct rank_regression *ranking = segmenter->ranking;
	const struct predictor *whole = segmenter->target->whole;
	uint8_t *sides = mem_alloc(segmenter->n);
	size_t i, n;

	memset(sides, SIDE_FIRST, segmenter->n);
	n = rank_regression_strongest(ranking,
				      rank_regression_of_metric(ranking, sides, SIDE_FIRST), sides,
				      SIDE_FIRST, CURVE_STRONGEST, segmenter->predictors);
	for (i = 0; whole && i < n; i++)
		if (&ranking->data->predictors[segmenter->predictors[i]] == whole)
			whole = NULL;
	if (whole)
		segmenter->predictors[n < CURVE_STRONGEST ? n++ : n - 1] =
			whole - ranking->data->predictors;
	segmenter->n_curves = n;
	for (i = 0; i < n; i++) {
		segment_take_predictor(segmenter, segmenter->predictors[i]);
		make_points(segmenter, segmenter->points[i]);
	}
	free(sides);
}

struct changepoint_search *changepoint_create(struct arena *arena,
					      const struct rank_regression *ranking,
					      const struct changepoint_target *target)
{
	struct changepoint_search *segmenter = arena_new(arena, struct changepoint_search);
	unsigned i;

	segmenter->ranking = ranking;
	segmenter->target = target;
	segmenter->n = ranking->data->n_choice;
	segmenter->x = arena_array(arena, double, segmenter->n);
	for (i = 0; i < CURVES; i++)
		segmenter->points[i] = arena_array(arena, struct point, segmenter->n);
	choose_curves(segmenter);
	return segmenter;
}

/* The squares that are left by the best curve of each side. */
static double squares_of(const struct moments *totals, const struct moments *parts, unsigned n)
{
	double first = INFINITY, second = INFINITY;
	unsigned i;

	for (i = 0; i < n; i++) {
		struct moments rest = rest_of(&totals[i], &parts[i]);

		first = fmin(first, squares_left(&parts[i]));
		second = fmin(second, squares_left(&rest));
	}
	return first + second;
}

static double square_at(const struct changepoint_search *segmenter, size_t row)
{
	return segmenter->target->residual[row] * segmenter->target->residual[row];
}

double changepoint_judge(struct changepoint_search *segmenter, const uint8_t *sides)
{
	struct moments totals[CURVES] = {{0}}, firsts[CURVES] = {{0}};
	unsigned n = segmenter->n_curves ? segmenter->n_curves : 1;
	double whole = 0;
	size_t row;
	unsigned i;

	if (!segmenter->n_curves)
		make_constant(segmenter);
	for (row = 0; row < segmenter->n; row++) {
		if (sides[row] == SIDE_NONE)
			continue;
		whole += square_at(segmenter, row);
		for (i = 0; i < n; i++) {
			segment_add_point(&totals[i], &segmenter->points[i][row]);
			if (sides[row] == SIDE_FIRST)
				segment_add_point(&firsts[i], &segmenter->points[i][row]);
		}
	}
	return whole > 0 ? squares_of(totals, firsts, n) / whole : 1;
}

/* One walk in the order of the feature. */
struct walk {
	const struct order *order;
	unsigned n_curves;
	size_t least;
	struct moments totals[CURVES];
	struct moments parts[CURVES]; /* of the rows before `at` */
	size_t at;
};

static void segment_step(const struct changepoint_search *segmenter, struct walk *walk)
{
	size_t row = walk->order->places[walk->at++].row;
	unsigned i;

	for (i = 0; i < walk->n_curves; i++)
		segment_add_point(&walk->parts[i], &segmenter->points[i][row]);
}

static bool segment_is_place(const struct walk *walk)
{
	return walk->at >= walk->least && walk->order->n - walk->at >= walk->least &&
	       walk->order->places[walk->at].rises;
}

/* Look at every @stride-th place from here to @end. */
static void segment_look(const struct changepoint_search *segmenter, struct walk *walk, size_t end,
			 size_t stride, struct changepoint *best)
{
	size_t next = walk->at;

	while (walk->at < end) {
		double left;

		segment_step(segmenter, walk);
		if (walk->at >= walk->order->n || walk->at < next || !segment_is_place(walk))
			continue;
		next = walk->at + stride;
		left = squares_of(walk->totals, walk->parts, walk->n_curves);
		if (left < best->left)
			*best = (struct changepoint){walk->at, left};
	}
}

static double segment_total_of(struct changepoint_search *segmenter, struct walk *walk)
{
	double whole = 0;
	size_t i;

	for (i = 0; i < walk->order->n; i++)
		whole += square_at(segmenter, walk->order->places[i].row);
	while (walk->at < walk->order->n)
		segment_step(segmenter, walk);
	memcpy(walk->totals, walk->parts, sizeof(walk->totals));
	return whole;
}

static void restart(struct walk *walk)
{
	memset(walk->parts, 0, sizeof(walk->parts));
	walk->at = 0;
}

/* The best place in @order with the first @n_curves curves. */
static bool segment_find_place(struct changepoint_search *segmenter, const struct order *order,
			       unsigned n_curves, size_t least, struct changepoint *ret)
{
	struct walk walk = {.order = order, .n_curves = n_curves, .least = least ? least : 1};
	struct changepoint best = {.left = INFINITY};
	size_t stride = order->n / STOPS + 1;
	double whole = segment_total_of(segmenter, &walk);
	size_t around;

	restart(&walk);
	segment_look(segmenter, &walk, order->n, stride, &best);
	if (!best.first || !(whole > 0))
		return false;
	around = best.first;
	restart(&walk);
	while (walk.at + stride < around)
		segment_step(segmenter, &walk);
	segment_look(segmenter, &walk, around + stride < order->n ? around + stride : order->n, 1,
		     &best);
	best.left /= whole;
	*ret = best;
	return true;
}

static bool is_chosen(const struct changepoint_search *segmenter, size_t predictor)
{
	unsigned i;

	for (i = 0; i < segmenter->n_curves; i++)
		if (segmenter->predictors[i] == predictor)
			return true;
	return false;
}

bool changepoint_find(struct changepoint_search *segmenter, size_t predictor, size_t least,
		      struct changepoint *ret)
{
	unsigned n = segmenter->n_curves;

	if (!is_chosen(segmenter, predictor)) {
		segment_take_predictor(segmenter, predictor);
		make_points(segmenter, segmenter->points[n++]);
	}
	return segment_find_place(segmenter, &segmenter->ranking->orders[predictor], n, least, ret);
}

bool changepoint_find_in(struct changepoint_search *segmenter, const struct order *order,
			 size_t least, struct changepoint *ret)
{
	rank_regression_of_order(order, segmenter->n, segmenter->x);
	make_points(segmenter, segmenter->points[segmenter->n_curves]);
	return segment_find_place(segmenter, order, segmenter->n_curves + 1, least, ret);
}
