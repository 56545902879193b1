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
#include "model/data/lanes.h"

enum { POWERS = 3, CURVES = CHANGEPOINT_CURVES + 1, STOPS = 48 };

/* Smaller pivots are 0: the column depends on those before. */
#define PIVOT_LEAST 1e-9

/* A number of each curve; those that are not in use count for nothing. */
typedef double curve_lanes __attribute__((vector_size(CURVES * sizeof(double)), aligned(8)));

/* A row: the columns of the curves, and the metric. */
struct curve_row {
	curve_lanes q[POWERS];
	double y;
};

/* Products of columns and the metric, summed over rows. */
struct products {
	curve_lanes qq[6]; /* the lower triangle */
	curve_lanes qy[POWERS];
	double yy;
};

struct changepoint_search {
	const struct rank_regression *ranking;
	const struct changepoint_target *target;
	size_t n;
	double *x; /* [n] scratch */
	unsigned n_curves;
	size_t predictors[CURVES];
	struct curve_row *rows; /* [n]; after the curves' the feature's own */
	struct products totals; /* of all rows */
	double *q[POWERS];      /* [n] each, scratch: the columns of one curve */
};

static LANES_INLINE void segment_add(struct products *sums, const struct curve_row *row)
{
	const curve_lanes *q = row->q;

	sums->qq[0] += q[0] * q[0];
	sums->qq[1] += q[1] * q[0];
	sums->qq[2] += q[1] * q[1];
	sums->qq[3] += q[2] * q[0];
	sums->qq[4] += q[2] * q[1];
	sums->qq[5] += q[2] * q[2];
	sums->qy[0] += q[0] * row->y;
	sums->qy[1] += q[1] * row->y;
	sums->qy[2] += q[2] * row->y;
	sums->yy += row->y * row->y;
}

static LANES_INLINE void rest_of(const struct products *total, const struct products *part,
				 struct products *ret)
{
	unsigned i;

	for (i = 0; i < 6; i++)
		ret->qq[i] = total->qq[i] - part->qq[i];
	for (i = 0; i < POWERS; i++)
		ret->qy[i] = total->qy[i] - part->qy[i];
	ret->yy = total->yy - part->yy;
}

/* Residual squares corrected for @columns parameters and one for the choice. */
static double corrected(double squares, double n, unsigned columns)
{
	return n > columns + 1 ? fmax(squares, 0) * n / (n - columns - 1) : INFINITY;
}

static double squares_left(const struct products *sums, double n, unsigned curve)
{
	const double a = sums->qq[0][curve], ba = sums->qq[1][curve], ca = sums->qq[3][curve];
	const double ya = sums->qy[0][curve];
	double z0, b, c, d, e, z1, z2, squares, best;

	if (!(a > PIVOT_LEAST))
		return corrected(sums->yy, n, 0);
	z0 = ya / a;
	squares = sums->yy - z0 * ya;
	best = corrected(squares, n, 1);
	b = ba / a;
	c = sums->qq[2][curve] - b * ba;
	if (!(c > PIVOT_LEAST))
		return best;
	z1 = sums->qy[1][curve] - b * ya;
	squares -= z1 * z1 / c;
	best = fmin(best, corrected(squares, n, 2));
	d = sums->qq[4][curve] - b * ca;
	e = sums->qq[5][curve] - ca * ca / a - d * d / c;
	if (!(e > PIVOT_LEAST))
		return best;
	z2 = sums->qy[2][curve] - ca * z0 - d / c * z1;
	squares -= z2 * z2 / e;
	return fmin(best, corrected(squares, n, 3));
}

/* Make a power orthogonal to lower ones, of unit length; 0 if nothing is left. */
LANES static void make_orthonormal(struct changepoint_search *search, unsigned power)
{
	const size_t n = search->n;
	double *own = search->q[power];
	const double before = lanes_dot(own, own, n);
	double after;
	unsigned i;
	size_t row;

	for (i = 0; i < power; i++) {
		const double product = lanes_dot(search->q[i], own, n);
		const double *lower = search->q[i];

		for (row = 0; row < n; row++)
			own[row] -= product * lower[row];
	}
	after = lanes_dot(own, own, n);
	after = after > PIVOT_LEAST * before ? 1 / sqrt(after) : 0;
	for (row = 0; row < n; row++)
		own[row] *= after;
}

LANES static void make_powers(struct changepoint_search *search)
{
	const double *inverse = search->target->inverse, *x = search->x;
	double *const *q = search->q;
	size_t row;

	for (row = 0; row < search->n; row++) {
		q[0][row] = inverse[row];
		q[1][row] = inverse[row] * x[row];
		q[2][row] = inverse[row] * x[row] * x[row];
	}
}

/* Make the curve of search->x that of lane @curve, and its totals. */
static void make_curve(struct changepoint_search *search, unsigned curve)
{
	const double *y = search->target->y, *const *q = (const double *const *)search->q;
	struct products *totals = &search->totals;
	const size_t n = search->n;
	unsigned power, i, k = 0;
	size_t row;

	make_powers(search);
	for (power = 0; power < POWERS; power++) {
		make_orthonormal(search, power);
		for (row = 0; row < n; row++)
			search->rows[row].q[power][curve] = q[power][row];
		totals->qy[power][curve] = lanes_dot(q[power], y, n);
		for (i = 0; i <= power; i++)
			totals->qq[k++][curve] = lanes_dot(q[power], q[i], n);
	}
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
	make_curve(search, 0);
}

static void choose_curves(struct changepoint_search *search)
{
	size_t i;

	search->n_curves =
		rank_regression_strongest(search->ranking, CHANGEPOINT_CURVES, search->predictors);
	for (i = 0; i < search->n_curves; i++) {
		segment_take_predictor(search, search->predictors[i]);
		make_curve(search, i);
	}
}

struct changepoint_search *changepoint_create(struct arena *arena,
					      const struct rank_regression *ranking,
					      const struct changepoint_target *target)
{
	struct changepoint_search *search = arena_new(arena, struct changepoint_search);
	size_t row;
	unsigned i;

	search->ranking = ranking;
	search->target = target;
	search->n = ranking->data->n_choice;
	search->x = arena_array(arena, double, search->n);
	for (i = 0; i < POWERS; i++)
		search->q[i] = arena_array(arena, double, search->n);
	search->rows = arena_array(arena, struct curve_row, search->n);
	for (row = 0; row < search->n; row++)
		search->rows[row].y = target->y[row];
	search->totals.yy = lanes_dot(target->y, target->y, search->n);
	choose_curves(search);
	return search;
}

/* Residual squares of the best of @n_curves on each side: @n_first rows with @first, of @n. */
static double squares_of(const struct products *all, size_t n, const struct products *first,
			 size_t n_first, unsigned n_curves)
{
	double left = INFINITY, right = INFINITY;
	struct products rest;
	unsigned i;

	rest_of(all, first, &rest);
	for (i = 0; i < n_curves; i++) {
		left = fmin(left, squares_left(first, n_first, i));
		right = fmin(right, squares_left(&rest, n - n_first, i));
	}
	return left + right;
}

static double square_at(const struct changepoint_search *search, size_t row)
{
	return search->target->residual[row] * search->target->residual[row];
}

LANES double changepoint_judge(struct changepoint_search *search, const uint8_t *sides)
{
	struct products none = {.yy = 0}, first = {.yy = 0}, all;
	size_t n_none = 0, n_first = 0;
	double whole = 0;
	size_t row;

	if (!search->n_curves)
		make_constant(search);
	for (row = 0; row < search->n; row++) {
		if (sides[row] == SIDE_NONE) {
			n_none++;
			segment_add(&none, &search->rows[row]);
			continue;
		}
		whole += square_at(search, row);
		if (sides[row] != SIDE_FIRST)
			continue;
		n_first++;
		segment_add(&first, &search->rows[row]);
	}
	rest_of(&search->totals, &none, &all);
	return whole > 0 ? squares_of(&all, search->n - n_none, &first, n_first,
				      search->n_curves ? search->n_curves : 1) /
				   whole
			 : 1;
}

/* A walk in the order of the feature. */
struct walk {
	const struct order *order;
	unsigned n_curves;
	size_t least;
	struct products totals;
	struct products parts; /* of the rows before `at` */
	size_t at;
};

LANES static void segment_go(const struct changepoint_search *search, struct walk *walk, size_t end)
{
	struct products parts = walk->parts;

	for (; walk->at < end; walk->at++)
		segment_add(&parts, &search->rows[walk->order->places[walk->at].row]);
	walk->parts = parts;
}

static bool segment_is_place(const struct walk *walk)
{
	return walk->at >= walk->least && walk->order->n - walk->at >= walk->least &&
	       walk->order->places[walk->at].rises;
}

/* Test every @stride-th place up to @end; @before: the walk at the place before the best. */
static void segment_look(const struct changepoint_search *search, struct walk *walk, size_t end,
			 size_t stride, struct changepoint *best, struct walk *before)
{
	struct walk last = *walk;
	size_t next = walk->at;

	while (walk->at < end) {
		const size_t to = walk->at < next ? next : walk->at + 1;
		double left;

		segment_go(search, walk, to < end ? to : end);
		if (walk->at < next || walk->at >= walk->order->n || !segment_is_place(walk))
			continue;
		next = walk->at + stride;
		left = squares_of(&walk->totals, walk->order->n, &walk->parts, walk->at,
				  walk->n_curves);
		if (left < best->left) {
			*best = (struct changepoint){walk->at, left};
			*before = last;
		}
		last = *walk;
	}
}

/* Add up the rows of the order, unless they are all. */
static void segment_find_totals(struct changepoint_search *search, struct walk *walk)
{
	if (walk->order->n == search->n) {
		walk->totals = search->totals;
		return;
	}
	segment_go(search, walk, walk->order->n);
	walk->totals = walk->parts;
}

static double segment_whole(const struct changepoint_search *search, const struct order *order)
{
	double whole = 0;
	size_t i;

	for (i = 0; i < order->n; i++)
		whole += square_at(search, order->places[i].row);
	return whole;
}

static bool segment_find_place(struct changepoint_search *search, const struct order *order,
			       unsigned n_curves, size_t least, struct changepoint *ret)
{
	struct walk walk = {.order = order, .n_curves = n_curves, .least = least ? least : 1};
	struct changepoint best = {.left = INFINITY};
	const size_t stride = order->n / STOPS + 1;
	const double whole = segment_whole(search, order);
	struct walk around, ignored;
	size_t end;

	segment_find_totals(search, &walk);
	walk.parts = (struct products){.yy = 0};
	walk.at = 0;
	segment_look(search, &walk, order->n, stride, &best, &around);
	if (!best.first || !(whole > 0))
		return false;
	end = best.first + stride;
	segment_look(search, &around, end < order->n ? end : order->n, 1, &best, &ignored);
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
		make_curve(search, n++);
	}
	return segment_find_place(search, &search->ranking->orders[predictor], n, least, ret);
}

bool changepoint_find_in(struct changepoint_search *search, const struct order *order, size_t least,
			 struct changepoint *ret)
{
	rank_regression_of_order(order, search->n, search->x);
	make_curve(search, search->n_curves);
	return segment_find_place(search, order, search->n_curves + 1, least, ret);
}
