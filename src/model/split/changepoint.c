/*
 * Segmented regression by running sums. Curves are [1, x, x^2] over the spread, made orthonormal
 * over all rows; a Cholesky factor of three columns gives the least squares of either side from its
 * sums, the other's being the rest of the totals. Source: Muggeo, Estimating regression models with
 * unknown break-points, Statistics in Medicine 22 (2003), for the aim; the exhaustive search is Bai
 * and Perron's.
 */
#include "changepoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { POWERS = 3, CURVES = CURVE_STRONGEST + 1, STOPS = 48 };

/* Smaller pivots are 0: the column depends on those before. */
#define PIVOT_LEAST 1e-9

/* A curve's columns and the metric, of one row. */
struct point {
	double q[POWERS], y;
};

/* Their products, summed over rows. */
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

/* Residual squares corrected for @columns parameters and one for the choice. */
static double corrected(double squares, double n, unsigned columns)
{
	return n > columns + 1 ? fmax(squares, 0) * n / (n - columns - 1) : INFINITY;
}

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

/* Make a power orthogonal to lower ones, of unit length; 0 if nothing is left. */
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

/* The columns of the curve of search->x. */
static void make_points(struct changepoint_search *search, struct point *points)
{
	const struct changepoint_target *target = search->target;
	unsigned power;
	size_t row;

	for (row = 0; row < search->n; row++) {
		double x = search->x[row];

		points[row].q[0] = target->inverse[row];
		points[row].q[1] = target->inverse[row] * x;
		points[row].q[2] = target->inverse[row] * x * x;
		points[row].y = target->y[row];
	}
	for (power = 0; power < POWERS; power++)
		make_orthonormal(points, search->n, power);
}

/* An absent predictor counts as the middle. */
static void segment_take_predictor(struct changepoint_search *search, size_t number)
{
	const struct predictor *predictor = &search->ranking->data->predictors[number];
	double largest = fmax(fabs(predictor->min), fabs(predictor->max));
	size_t row;

	for (row = 0; row < search->n; row++)
		search->x[row] = predictor->present[row] ? predictor->x[row] / largest : 0.5;
}

/* Without a good predictor: the constant. */
static void make_constant(struct changepoint_search *search)
{
	memset(search->x, 0, search->n * sizeof(*search->x));
	make_points(search, search->points[0]);
}

/*
 * Always include the predictor of the curve of all rows, or that would beat two curves by its
 * predictor alone.
 */
static void choose_curves(struct changepoint_search *search)
{
	const struct rank_regression *ranking = search->ranking;
	const struct predictor *whole = search->target->whole;
	uint8_t *sides = mem_alloc(search->n);
	size_t i, n;

	memset(sides, SIDE_FIRST, search->n);
	n = rank_regression_strongest(ranking,
				      rank_regression_of_metric(ranking, sides, SIDE_FIRST), sides,
				      SIDE_FIRST, CURVE_STRONGEST, search->predictors);
	for (i = 0; whole && i < n; i++)
		if (&ranking->data->predictors[search->predictors[i]] == whole)
			whole = NULL;
	if (whole)
		search->predictors[n < CURVE_STRONGEST ? n++ : n - 1] =
			whole - ranking->data->predictors;
	search->n_curves = n;
	for (i = 0; i < n; i++) {
		segment_take_predictor(search, search->predictors[i]);
		make_points(search, search->points[i]);
	}
	free(sides);
}

struct changepoint_search *changepoint_create(struct arena *arena,
					      const struct rank_regression *ranking,
					      const struct changepoint_target *target)
{
	struct changepoint_search *search = arena_new(arena, struct changepoint_search);
	unsigned i;

	search->ranking = ranking;
	search->target = target;
	search->n = ranking->data->n_choice;
	search->x = arena_array(arena, double, search->n);
	for (i = 0; i < CURVES; i++)
		search->points[i] = arena_array(arena, struct point, search->n);
	choose_curves(search);
	return search;
}

/* Residual squares of the best curve of each side. */
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

static double square_at(const struct changepoint_search *search, size_t row)
{
	return search->target->residual[row] * search->target->residual[row];
}

double changepoint_judge(struct changepoint_search *search, const uint8_t *sides)
{
	struct moments totals[CURVES] = {{0}}, firsts[CURVES] = {{0}};
	unsigned n = search->n_curves ? search->n_curves : 1;
	double whole = 0;
	size_t row;
	unsigned i;

	if (!search->n_curves)
		make_constant(search);
	for (row = 0; row < search->n; row++) {
		if (sides[row] == SIDE_NONE)
			continue;
		whole += square_at(search, row);
		for (i = 0; i < n; i++) {
			segment_add_point(&totals[i], &search->points[i][row]);
			if (sides[row] == SIDE_FIRST)
				segment_add_point(&firsts[i], &search->points[i][row]);
		}
	}
	return whole > 0 ? squares_of(totals, firsts, n) / whole : 1;
}

/* A walk in the order of the feature. */
struct walk {
	const struct order *order;
	unsigned n_curves;
	size_t least;
	struct moments totals[CURVES];
	struct moments parts[CURVES]; /* of the rows before `at` */
	size_t at;
};

static void segment_step(const struct changepoint_search *search, struct walk *walk)
{
	size_t row = walk->order->places[walk->at++].row;
	unsigned i;

	for (i = 0; i < walk->n_curves; i++)
		segment_add_point(&walk->parts[i], &search->points[i][row]);
}

static bool segment_is_place(const struct walk *walk)
{
	return walk->at >= walk->least && walk->order->n - walk->at >= walk->least &&
	       walk->order->places[walk->at].rises;
}

/* Test every @stride-th place up to @end. */
static void segment_look(const struct changepoint_search *search, struct walk *walk, size_t end,
			 size_t stride, struct changepoint *best)
{
	size_t next = walk->at;

	while (walk->at < end) {
		double left;

		segment_step(search, walk);
		if (walk->at >= walk->order->n || walk->at < next || !segment_is_place(walk))
			continue;
		next = walk->at + stride;
		left = squares_of(walk->totals, walk->parts, walk->n_curves);
		if (left < best->left)
			*best = (struct changepoint){walk->at, left};
	}
}

static double segment_total_of(struct changepoint_search *search, struct walk *walk)
{
	double whole = 0;
	size_t i;

	for (i = 0; i < walk->order->n; i++)
		whole += square_at(search, walk->order->places[i].row);
	while (walk->at < walk->order->n)
		segment_step(search, walk);
	memcpy(walk->totals, walk->parts, sizeof(walk->totals));
	return whole;
}

static void restart(struct walk *walk)
{
	memset(walk->parts, 0, sizeof(walk->parts));
	walk->at = 0;
}

static bool segment_find_place(struct changepoint_search *search, const struct order *order,
			       unsigned n_curves, size_t least, struct changepoint *ret)
{
	struct walk walk = {.order = order, .n_curves = n_curves, .least = least ? least : 1};
	struct changepoint best = {.left = INFINITY};
	size_t stride = order->n / STOPS + 1;
	double whole = segment_total_of(search, &walk);
	size_t around;

	restart(&walk);
	segment_look(search, &walk, order->n, stride, &best);
	if (!best.first || !(whole > 0))
		return false;
	around = best.first;
	restart(&walk);
	while (walk.at + stride < around)
		segment_step(search, &walk);
	segment_look(search, &walk, around + stride < order->n ? around + stride : order->n, 1,
		     &best);
	best.left /= whole;
	*ret = best;
	return true;
}

static bool is_chosen(const struct changepoint_search *search, size_t predictor)
{
	unsigned i;

	for (i = 0; i < search->n_curves; i++)
		if (search->predictors[i] == predictor)
			return true;
	return false;
}

bool changepoint_find(struct changepoint_search *search, size_t predictor, size_t least,
		      struct changepoint *ret)
{
	unsigned n = search->n_curves;

	if (!is_chosen(search, predictor)) {
		segment_take_predictor(search, predictor);
		make_points(search, search->points[n++]);
	}
	return segment_find_place(search, &search->ranking->orders[predictor], n, least, ret);
}

bool changepoint_find_in(struct changepoint_search *search, const struct order *order, size_t least,
			 struct changepoint *ret)
{
	rank_regression_of_order(order, search->n, search->x);
	make_points(search, search->points[search->n_curves]);
	return segment_find_place(search, order, search->n_curves + 1, least, ret);
}
