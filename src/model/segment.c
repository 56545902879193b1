/*
 * Segmented regression by running sums. Curves are [1, x, x^2] over the row's spread, made orthonormal over all rows; sums of the rows
 * on one side, and what is left of the totals, give the least squares of both by a Cholesky factor of three
 * columns.
 * Source: Muggeo, Estimating regression models with unknown break-points, Statistics in Medicine 22 (2003), for the aim; the way is the
 * exhaustive one of Bai and Perron.
 */
#include "model/segment.h"

#include <math.h>
#include <string.h>

#include "model/candidate.h"

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

struct segmenter {
	const struct ranking *ranking;
	const struct curve_fitter *fitter;
	size_t n;
	double *inverse; /* [n] of the spread */
	double *y;       /* [n] over the spread, brought near to the curve */
	double *square;  /* [n] of the whole curve's residual */
	unsigned n_curves;
	size_t predictors[CURVES];
	struct point *points[CURVES]; /* [n]; the last is the feature's own */
};

static void add_point(struct moments *moments, const struct point *p)
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

/* The residual squares of @columns parameters, and one for having chosen, as if none had been spent. */
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

/* Fill in a predictor's columns, orthonormal over all rows; where it is absent they are those of its middle. */
static void make_points(struct segmenter *segmenter, const struct predictor *predictor,
			struct point *points)
{
	double largest = fmax(fabs(predictor->min), fabs(predictor->max));
	unsigned i, j;
	size_t row;

	for (row = 0; row < segmenter->n; row++) {
		double x = predictor->present[row] ? predictor->x[row] / largest : 0.5;

		points[row].q[0] = segmenter->inverse[row];
		points[row].q[1] = segmenter->inverse[row] * x;
		points[row].q[2] = segmenter->inverse[row] * x * x;
		points[row].y = segmenter->y[row];
	}
	for (j = 0; j < POWERS; j++) {
		double before = 0, after = 0;

		for (row = 0; row < segmenter->n; row++)
			before += points[row].q[j] * points[row].q[j];
		for (i = 0; i < j; i++) {
			double product = 0;

			for (row = 0; row < segmenter->n; row++)
				product += points[row].q[i] * points[row].q[j];
			for (row = 0; row < segmenter->n; row++)
				points[row].q[j] -= product * points[row].q[i];
		}
		for (row = 0; row < segmenter->n; row++)
			after += points[row].q[j] * points[row].q[j];
		after = after > PIVOT_LEAST * before ? 1 / sqrt(after) : 0;
		for (row = 0; row < segmenter->n; row++)
			points[row].q[j] *= after;
	}
}

static void make_targets(struct segmenter *segmenter, const struct curve *whole, enum spread spread)
{
	const struct data *data = segmenter->ranking->data;
	size_t i;

	for (i = 0; i < segmenter->n; i++) {
		double value = curve_value(whole, i);

		segmenter->inverse[i] = 1 / curve_spread(segmenter->fitter, spread, value);
		segmenter->square[i] = (data->y[i] - value) * segmenter->inverse[i];
	}
	clip_values(segmenter->square, segmenter->n, segmenter->y);
	for (i = 0; i < segmenter->n; i++) {
		double residual = segmenter->y[i];

		segmenter->square[i] = residual * residual;
		segmenter->y[i] = residual + curve_value(whole, i) * segmenter->inverse[i];
	}
}

struct segmenter *segmenter_create(struct arena *arena, const struct ranking *ranking,
				   const struct curve_fitter *fitter, const struct curve *whole,
				   enum spread spread)
{
	struct segmenter *segmenter = arena_new(arena, struct segmenter);
	size_t n = ranking->data->n_choice;
	uint8_t *sides = arena_array(arena, uint8_t, n);
	unsigned i;

	segmenter->ranking = ranking;
	segmenter->fitter = fitter;
	segmenter->n = n;
	segmenter->inverse = arena_array(arena, double, n);
	segmenter->y = arena_array(arena, double, n);
	segmenter->square = arena_array(arena, double, n);
	make_targets(segmenter, whole, spread);
	memset(sides, SIDE_FIRST, n);
	segmenter->n_curves = (unsigned)ranking_strongest(ranking, sides, SIDE_FIRST,
							  CURVE_STRONGEST, segmenter->predictors);
	for (i = 0; i < CURVES; i++)
		segmenter->points[i] = arena_array(arena, struct point, n);
	for (i = 0; i < segmenter->n_curves; i++)
		make_points(segmenter, &ranking->data->predictors[segmenter->predictors[i]],
			    segmenter->points[i]);
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

double segment_judge(struct segmenter *segmenter, const uint8_t *sides)
{
	struct moments totals[CURVES] = {{0}}, firsts[CURVES] = {{0}};
	unsigned n = segmenter->n_curves ? segmenter->n_curves : 1;
	double whole = 0;
	size_t row;
	unsigned i;

	if (!segmenter->n_curves)
		for (row = 0; row < segmenter->n; row++)
			segmenter->points[0][row] =
				(struct point){{segmenter->inverse[row], 0, 0}, segmenter->y[row]};
	for (row = 0; row < segmenter->n; row++) {
		if (sides[row] == SIDE_NONE)
			continue;
		whole += segmenter->square[row];
		for (i = 0; i < n; i++) {
			add_point(&totals[i], &segmenter->points[i][row]);
			if (sides[row] == SIDE_FIRST)
				add_point(&firsts[i], &segmenter->points[i][row]);
		}
	}
	return whole > 0 ? squares_of(totals, firsts, n) / whole : 1;
}

/* The curves for a feature that is cut: the strongest ones', and its own. */
static unsigned take_own(struct segmenter *segmenter, size_t predictor)
{
	unsigned n = segmenter->n_curves;
	unsigned i;

	for (i = 0; i < n; i++)
		if (segmenter->predictors[i] == predictor)
			return n;
	make_points(segmenter, &segmenter->ranking->data->predictors[predictor],
		    segmenter->points[n]);
	return n + 1;
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

static void step(const struct segmenter *segmenter, struct walk *walk)
{
	size_t row = walk->order->places[walk->at++].row;
	unsigned i;

	for (i = 0; i < walk->n_curves; i++)
		add_point(&walk->parts[i], &segmenter->points[i][row]);
}

static bool is_place(const struct walk *walk)
{
	return walk->at >= walk->least && walk->order->n - walk->at >= walk->least &&
	       walk->order->places[walk->at].rises;
}

/* Look at every @stride-th place from here to @end. */
static void look(const struct segmenter *segmenter, struct walk *walk, size_t end, size_t stride,
		 struct segment *best)
{
	size_t next = walk->at;

	while (walk->at < end) {
		step(segmenter, walk);
		if (walk->at >= walk->order->n || walk->at < next || !is_place(walk))
			continue;
		next = walk->at + stride;
		if (squares_of(walk->totals, walk->parts, walk->n_curves) < best->left) {
			best->left = squares_of(walk->totals, walk->parts, walk->n_curves);
			best->first = walk->at;
		}
	}
}

static double total_of(struct segmenter *segmenter, struct walk *walk)
{
	double whole = 0;
	size_t i;

	for (i = 0; i < walk->order->n; i++)
		whole += segmenter->square[walk->order->places[i].row];
	while (walk->at < walk->order->n)
		step(segmenter, walk);
	memcpy(walk->totals, walk->parts, sizeof(walk->totals));
	return whole;
}

static void restart(struct walk *walk)
{
	memset(walk->parts, 0, sizeof(walk->parts));
	walk->at = 0;
}

bool segment_find(struct segmenter *segmenter, size_t predictor, size_t least, struct segment *ret)
{
	struct walk walk = {.order = &segmenter->ranking->orders[predictor],
			    .n_curves = take_own(segmenter, predictor),
			    .least = least ? least : 1};
	struct segment best = {.predictor = predictor, .left = INFINITY};
	size_t stride = walk.order->n / STOPS + 1;
	double whole = total_of(segmenter, &walk);
	size_t around;

	restart(&walk);
	look(segmenter, &walk, walk.order->n, stride, &best);
	if (!best.first || !(whole > 0))
		return false;
	around = best.first;
	restart(&walk);
	while (walk.at + stride < around)
		step(segmenter, &walk);
	look(segmenter, &walk, around + stride < walk.order->n ? around + stride : walk.order->n, 1,
	     &best);
	best.left /= whole;
	*ret = best;
	return true;
}
