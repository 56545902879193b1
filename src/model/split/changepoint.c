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

/* Products of a curve's columns and the metric, of one row or summed over rows. */
struct products {
	double qq[6]; /* the lower triangle */
	double qy[POWERS];
	double yy;
};

/* Sums over @n rows. */
struct moments {
	double n;
	struct products sums;
};

struct changepoint_search {
	const struct rank_regression *ranking;
	const struct changepoint_target *target;
	size_t n;
	double *x; /* [n] scratch */
	unsigned n_curves;
	size_t predictors[CURVES];
	struct products (*rows)[CURVES]; /* [n]; after the curves' the feature's own */
	struct products totals[CURVES];  /* of all rows */
	double *q[POWERS];               /* [n] each, scratch: the columns of one curve */
};

/* Add @n curves' products of a row. */
static LANES_INLINE void segment_add(struct products *sums, const struct products *row, unsigned n)
{
	const double *from = (const double *)row;
	double *to = (double *)sums;
	unsigned i;

	for (i = 0; i < n * (sizeof(*sums) / sizeof(double)); i++)
		to[i] += from[i];
}

static struct moments rest_of(const struct moments *total, const struct moments *part)
{
	struct moments rest = {.n = total->n - part->n};
	unsigned i;

	rest.sums.yy = total->sums.yy - part->sums.yy;
	for (i = 0; i < 6; i++)
		rest.sums.qq[i] = total->sums.qq[i] - part->sums.qq[i];
	for (i = 0; i < POWERS; i++)
		rest.sums.qy[i] = total->sums.qy[i] - part->sums.qy[i];
	return rest;
}

/* Residual squares corrected for @columns parameters and one for the choice. */
static double corrected(double squares, double n, unsigned columns)
{
	return n > columns + 1 ? fmax(squares, 0) * n / (n - columns - 1) : INFINITY;
}

static double squares_left(const struct moments *moments)
{
	const struct products *m = &moments->sums;
	double a = m->qq[0];
	double z0, b, c, d, e, z1, z2, squares, best;

	if (!(a > PIVOT_LEAST))
		return corrected(m->yy, moments->n, 0);
	z0 = m->qy[0] / a;
	squares = m->yy - z0 * m->qy[0];
	best = corrected(squares, moments->n, 1);
	b = m->qq[1] / a;
	c = m->qq[2] - b * m->qq[1];
	if (!(c > PIVOT_LEAST))
		return best;
	z1 = m->qy[1] - b * m->qy[0];
	squares -= z1 * z1 / c;
	best = fmin(best, corrected(squares, moments->n, 2));
	d = m->qq[4] - b * m->qq[3];
	e = m->qq[5] - m->qq[3] * m->qq[3] / a - d * d / c;
	if (!(e > PIVOT_LEAST))
		return best;
	z2 = m->qy[2] - m->qq[3] * z0 - d / c * z1;
	squares -= z2 * z2 / e;
	return fmin(best, corrected(squares, moments->n, 3));
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

/* The products of the curve of search->x in each row, as those of @curve. */
static void make_products(struct changepoint_search *search, unsigned curve)
{
	const double *y = search->target->y;
	struct products *total = &search->totals[curve];
	unsigned power;
	size_t row;

	make_powers(search);
	for (power = 0; power < POWERS; power++)
		make_orthonormal(search, power);
	memset(total, 0, sizeof(*total));
	for (row = 0; row < search->n; row++) {
		const double a = search->q[0][row], b = search->q[1][row], c = search->q[2][row];
		struct products *one = &search->rows[row][curve];

		*one = (struct products){{a * a, b * a, b * b, c * a, c * b, c * c},
					 {a * y[row], b * y[row], c * y[row]},
					 y[row] * y[row]};
		segment_add(total, one, 1);
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
	make_products(search, 0);
}

static void choose_curves(struct changepoint_search *search)
{
	size_t i;

	search->n_curves =
		rank_regression_strongest(search->ranking, CHANGEPOINT_CURVES, search->predictors);
	for (i = 0; i < search->n_curves; i++) {
		segment_take_predictor(search, search->predictors[i]);
		make_products(search, i);
	}
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
	for (i = 0; i < POWERS; i++)
		search->q[i] = arena_array(arena, double, search->n);
	search->rows = arena_alloc(arena, search->n * sizeof(*search->rows));
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

LANES double changepoint_judge(struct changepoint_search *search, const uint8_t *sides)
{
	struct products none[CURVES] = {{{0}}}, some[CURVES] = {{{0}}};
	struct moments totals[CURVES], firsts[CURVES];
	unsigned n = search->n_curves ? search->n_curves : 1;
	size_t n_none = 0, n_first = 0;
	double whole = 0;
	size_t row;
	unsigned i;

	if (!search->n_curves)
		make_constant(search);
	for (row = 0; row < search->n; row++) {
		if (sides[row] == SIDE_NONE) {
			n_none++;
			segment_add(none, search->rows[row], n);
			continue;
		}
		whole += square_at(search, row);
		if (sides[row] != SIDE_FIRST)
			continue;
		n_first++;
		segment_add(some, search->rows[row], n);
	}
	for (i = 0; i < n; i++) {
		const struct moments all = {search->n, search->totals[i]};

		totals[i] = rest_of(&all, &(struct moments){n_none, none[i]});
		firsts[i] = (struct moments){n_first, some[i]};
	}
	return whole > 0 ? squares_of(totals, firsts, n) / whole : 1;
}

/* A walk in the order of the feature. */
struct walk {
	const struct order *order;
	unsigned n_curves;
	size_t least;
	struct products totals[CURVES];
	struct products parts[CURVES]; /* of the rows before `at` */
	size_t at;
};

static LANES_INLINE void segment_step(const struct changepoint_search *search, struct walk *walk)
{
	segment_add(walk->parts, search->rows[walk->order->places[walk->at++].row], walk->n_curves);
}

LANES static void segment_go(const struct changepoint_search *search, struct walk *walk, size_t end)
{
	while (walk->at < end)
		segment_step(search, walk);
}

static bool segment_is_place(const struct walk *walk)
{
	return walk->at >= walk->least && walk->order->n - walk->at >= walk->least &&
	       walk->order->places[walk->at].rises;
}

/* The squares that curves of both sides of the walk's place leave. */
static double segment_squares(const struct walk *walk)
{
	struct moments totals[CURVES], parts[CURVES];
	unsigned i;

	for (i = 0; i < walk->n_curves; i++) {
		totals[i] = (struct moments){walk->order->n, walk->totals[i]};
		parts[i] = (struct moments){walk->at, walk->parts[i]};
	}
	return squares_of(totals, parts, walk->n_curves);
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
		left = segment_squares(walk);
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
		memcpy(walk->totals, search->totals, sizeof(walk->totals));
		return;
	}
	segment_go(search, walk, walk->order->n);
	memcpy(walk->totals, walk->parts, sizeof(walk->totals));
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
	memset(walk.parts, 0, sizeof(walk.parts));
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
		make_products(search, n++);
	}
	return segment_find_place(search, &search->ranking->orders[predictor], n, least, ret);
}

bool changepoint_find_in(struct changepoint_search *search, const struct order *order, size_t least,
			 struct changepoint *ret)
{
	rank_regression_of_order(order, search->n, search->x);
	make_products(search, search->n_curves);
	return segment_find_place(search, order, search->n_curves + 1, least, ret);
}
