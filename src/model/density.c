/*
 * Clusters from the dips of a density estimate, and which of them chance explains.
 *
 * A dip is judged by two things. How little chance would make of it: the numbers in it and in the smaller of the humps
 * beside it are compared with what they were if the density did not rise from the one to the other (a binomial
 * likelihood ratio, of which a hump's excess mass is the numerator; Mueller and Sawitzki, Excess mass estimates and tests
 * for multimodality, JASA 86 (1991)). And whether two normal distributions explain the numbers better than one with a
 * tail (unimodal.c). A dip that is clear is a border; one that is not needs both. The limits come from simulation:
 * tests/test_density.c has the distributions, and the rates of false and missed borders that must hold.
 *
 * Numbers on a lattice (counts, ticks of a timer) are spread evenly over their cells first, or every one would be a hump.
 * Each cluster is looked at again alone, in its own scale.
 */
#include "model/density.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "model/kde.h"
#include "model/unimodal.h"

enum {
	NUMBERS_MIN = 8, /* fewer are one cluster, unless they repeat */
	CLUSTER_MIN = 3, /* fewer numbers are none of their own */
	OFTEN = 5,       /* seen so often, a number is no accident */
	FEW = 3,         /* so few different numbers are a choice, not a distribution */
	DIPS_MAX = 64,
};

/* Of all numbers; less is no cluster. */
#define SHARE_MIN 0.005
/* A dip that is not deeper than this part of the smaller hump is none. */
#define SHALLOW 0.8
/* Evidence in units of log likelihood. */
#define CLEAR    9.0
#define LIKELIER 5.0
/* The ends of the middle nine tenths are so far apart: decades. */
#define DECADES 20.0
/* The numbers reach further than so many times their middle half: heavy tails. */
#define FAR 30.0

/* Greater numbers are too far from their negatives. */
#define LARGEST 1e307

enum scale { SCALE_EVEN, SCALE_LOG, SCALE_TAILS };

/* Numbers as they are looked at. */
struct view {
	enum scale scale;
	double middle, unit; /* numbers are in units beyond the middle; not SCALE_LOG */
	double *z;           /* [n] rising */
	size_t n;
	size_t distinct;
	struct kde kde;
	const double *density; /* the one of kde's that is looked at */
};

struct hump {
	size_t top;    /* cell */
	size_t bottom; /* cell of the dip before it; of the first 0 */
	size_t begin;  /* index of its first number */
};

struct humps {
	unsigned n;
	struct hump of[DIPS_MAX];
};

static double quantile(const double *y, size_t n, double part)
{
	return gsl_stats_quantile_from_sorted_data(y, 1, n, part);
}

static void choose_scale(struct view *view, const double *y, size_t n)
{
	double half = quantile(y, n, 0.75) - quantile(y, n, 0.25);

	view->middle = quantile(y, n, 0.5);
	view->unit = y[n - 1] - y[0];
	view->scale = SCALE_EVEN;
	if (y[0] > 0 && quantile(y, n, 0.95) / quantile(y, n, 0.05) > DECADES) {
		view->scale = SCALE_LOG;
	} else if (half > 0 && view->unit > FAR * half) {
		view->scale = SCALE_TAILS;
		view->unit = half;
	}
}

static double to_view(const struct view *view, double y)
{
	switch (view->scale) {
	case SCALE_EVEN:
		return (y - view->middle) / view->unit;
	case SCALE_LOG:
		return log(y);
	case SCALE_TAILS:
		return asinh((y - view->middle) / view->unit);
	}
	return y;
}

static double from_view(const struct view *view, double z)
{
	switch (view->scale) {
	case SCALE_EVEN:
		return view->middle + view->unit * z;
	case SCALE_LOG:
		return exp(z);
	case SCALE_TAILS:
		return view->middle + view->unit * sinh(z);
	}
	return z;
}

/* The distance of the lattice that the rising numbers @y lie on; 0: on none, or all are different. */
static double lattice(const double *y, size_t n, size_t distinct)
{
	double step = INFINITY;
	size_t i;

	if (distinct == n)
		return 0;
	for (i = 1; i < n; i++)
		if (y[i] > y[i - 1])
			step = fmin(step, y[i] - y[i - 1]);
	for (i = 1; i < n; i++) {
		double cells = (y[i] - y[0]) / step;

		if (!(cells < 1e15) || fabs(cells - round(cells)) > 1e-3)
			return 0;
	}
	return step;
}

/* Equal numbers are spread evenly over their cell of the lattice. */
static void spread(const double *y, size_t n, double step, double *ret)
{
	size_t first = 0;
	size_t i;

	if (y[0] > 0)
		step = fmin(step, y[0]);
	for (i = 0; i < n; i++) {
		size_t end = i + 1;

		if (i && y[i] != y[i - 1])
			first = i;
		while (end < n && y[end] == y[i])
			end++;
		for (; i < end; i++)
			ret[i] = y[i] + step * ((i - first + 0.5) / (end - first) - 0.5);
		i = end - 1;
	}
}

static size_t count_distinct(const double *y, size_t n)
{
	size_t distinct = n > 0;
	size_t i;

	for (i = 1; i < n; i++)
		distinct += y[i] != y[i - 1];
	return distinct;
}

static void look(struct view *view, const double *y, size_t n)
{
	size_t i;

	view->n = n;
	spread(y, n, lattice(y, n, view->distinct), view->z);
	choose_scale(view, view->z, n);
	for (i = 0; i < n; i++)
		view->z[i] = to_view(view, view->z[i]);
	kde_estimate(view->z, n, view->distinct, &view->kde);
}

/* The index of the first number that is not below @z. */
static size_t find(const struct view *view, double z)
{
	size_t low = 0;
	size_t high = view->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (view->z[middle] < z)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double place(const struct view *view, size_t cell)
{
	return view->kde.low + cell * view->kde.step;
}

static double height(const struct view *view, size_t cell)
{
	return view->density[cell];
}

/* How much of the smaller hump beside it the dip before hump @i keeps. */
static double keeps(const struct view *view, const struct humps *humps, unsigned i)
{
	const struct hump *hump = &humps->of[i];

	return height(view, hump->bottom) /
	       fmin(height(view, hump[-1].top), height(view, hump->top));
}

/* Forget the dip before hump @i. */
static void join(const struct view *view, struct humps *humps, unsigned i)
{
	struct hump *hump = &humps->of[i];

	if (height(view, hump->top) > height(view, hump[-1].top))
		hump[-1].top = hump->top;
	memmove(hump, hump + 1, (humps->n - i - 1) * sizeof(*hump));
	humps->n--;
}

static unsigned shallowest(const struct view *view, const struct humps *humps)
{
	unsigned best = 1;
	unsigned i;

	for (i = 2; i < humps->n; i++)
		if (keeps(view, humps, i) > keeps(view, humps, best))
			best = i;
	return best;
}

/* All humps of the density; of more than fit the deepest dips' are kept. */
static void find_humps(const struct view *view, struct humps *ret)
{
	size_t bottom = 0;
	bool rising = true;
	size_t i;

	ret->n = 0;
	for (i = 1; i <= KDE_GRID; i++) {
		if (rising && (i == KDE_GRID || height(view, i) < height(view, i - 1))) {
			if (ret->n == DIPS_MAX)
				join(view, ret, shallowest(view, ret));
			ret->of[ret->n++] = (struct hump){.top = i - 1, .bottom = bottom};
			rising = false;
			bottom = i;
		} else if (i < KDE_GRID && !rising) {
			if (height(view, i) < height(view, bottom))
				bottom = i;
			rising = height(view, i) > height(view, i - 1);
		}
	}
	for (i = 0; i < ret->n; i++)
		ret->of[i].begin = i ? find(view, place(view, ret->of[i].bottom)) : 0;
}

static size_t end_of(const struct view *view, const struct humps *humps, unsigned i)
{
	return i + 1 < humps->n ? humps->of[i + 1].begin : view->n;
}

/* Dips that are next to nothing are no borders. */
static void drop_shallow(const struct view *view, struct humps *humps)
{
	while (humps->n > 1) {
		unsigned i = shallowest(view, humps);

		if (keeps(view, humps, i) < SHALLOW)
			break;
		join(view, humps, i);
	}
}

static void drop_small(const struct view *view, struct humps *humps)
{
	double least = fmax(CLUSTER_MIN, SHARE_MIN * view->n);
	unsigned i = 0;

	while (i < humps->n && humps->n > 1) {
		bool right;

		if (end_of(view, humps, i) - humps->of[i].begin >= least) {
			i++;
			continue;
		}
		right = i == 0 || (i + 1 < humps->n && height(view, humps->of[i + 1].bottom) >
							       height(view, humps->of[i].bottom));
		join(view, humps, right ? i + 1 : i);
		i = 0;
	}
}

struct stretch {
	size_t low, high; /* cells, the last included */
};

/* From @cell as far as the density is on the same side of @level, within @low to @high. */
static struct stretch stretch_around(const struct view *view, size_t cell, double level,
				     struct stretch within)
{
	bool above = height(view, cell) > level;
	struct stretch ret = {cell, cell};

	while (ret.low > within.low && (height(view, ret.low - 1) > level) == above)
		ret.low--;
	while (ret.high < within.high && (height(view, ret.high + 1) > level) == above)
		ret.high++;
	return ret;
}

static double count(const struct view *view, struct stretch stretch)
{
	return find(view, place(view, stretch.high) + view->kde.step / 2) -
	       find(view, place(view, stretch.low) - view->kde.step / 2);
}

static double times_log(double k, double expected)
{
	return k > 0 ? k * log(k / expected) : 0;
}

/* How much likelier the numbers in the dip and in the hump are with the density rising than without. */
static double rise(const struct view *view, size_t bottom, size_t top, struct stretch within)
{
	double level = (height(view, bottom) + height(view, top)) / 2;
	struct stretch dip = stretch_around(view, bottom, level, within);
	struct stretch hump = stretch_around(view, top, level, within);
	double k = count(view, hump), low = count(view, dip);
	double long_hump = hump.high - hump.low + 1;
	double part = long_hump / (long_hump + dip.high - dip.low + 1);

	if (k <= (k + low) * part)
		return 0;
	return times_log(k, (k + low) * part) + times_log(low, (k + low) * (1 - part));
}

/* How clear the dip before hump @i is, over CLEAR: certain. */
static double evidence(const struct view *view, const struct humps *humps, unsigned i)
{
	const struct hump *one = &humps->of[i - 1];
	const struct hump *two = &humps->of[i];
	struct stretch within = {one->bottom, i + 1 < humps->n ? two[1].bottom : KDE_GRID - 1};
	double left = rise(view, two->bottom, one->top, within);
	double right = rise(view, two->bottom, two->top, within);
	double chance = fmin(left, right);
	double likelier;

	if (view->density == view->kde.density && chance >= CLEAR)
		return chance;
	likelier = unimodal_against_two(view->z + one->begin, end_of(view, humps, i) - one->begin,
					two->begin - one->begin);
	return likelier >= LIKELIER ? chance + CLEAR : chance;
}

/* Take away the least evident border as long as chance explains it, or there are too many. */
static void drop_chance(const struct view *view, struct humps *humps, unsigned most)
{
	while (humps->n > 1) {
		double least = INFINITY;
		unsigned worst = 1;
		unsigned i;

		for (i = 1; i < humps->n; i++) {
			double found = evidence(view, humps, i);

			if (found < least) {
				least = found;
				worst = i;
			}
		}
		if (least >= CLEAR && humps->n <= most)
			break;
		join(view, humps, worst);
	}
}

static void find_clusters(struct view *view, const double *density, unsigned most,
			  struct humps *ret)
{
	view->density = density;
	find_humps(view, ret);
	drop_shallow(view, ret);
	drop_small(view, ret);
	drop_chance(view, ret, most);
}

/* A part of the rising numbers. */
struct part {
	size_t begin, end;
	double border; /* at its begin */
	double centre;
	bool whole; /* it was looked at alone, and is one */
};

/* A few numbers, each seen often, are a cluster each. */
static bool are_few(const double *y, size_t n, size_t distinct)
{
	size_t since = 0;
	size_t i;

	if (distinct > FEW)
		return false;
	for (i = 1; i <= n; i++) {
		if (i < n && y[i] == y[i - 1])
			continue;
		if (i - since < OFTEN * (distinct - 1) || i - since < SHARE_MIN * n)
			return false;
		since = i;
	}
	return true;
}

static unsigned split_few(const double *y, const struct part *part, struct part *ret)
{
	unsigned n = 0;
	size_t i;

	for (i = part->begin; i < part->end; i++) {
		if (i == part->begin || y[i] != y[i - 1])
			ret[n++] = (struct part){i, 0, y[i], y[i], true};
		ret[n - 1].end = i + 1;
	}
	return n;
}

/* The parts that the humps stand for; a border never comes between equal numbers. */
static unsigned take_parts(const struct view *view, const struct humps *humps, const double *y,
			   const struct part *part, struct part *ret)
{
	unsigned n = 0;
	unsigned i;

	for (i = 0; i < humps->n; i++) {
		const struct hump *hump = &humps->of[i];
		size_t begin = part->begin + hump->begin;
		double border = from_view(view, place(view, hump->bottom));
		double centre = from_view(view, place(view, hump->top));

		while (begin > part->begin && y[begin] == y[begin - 1])
			begin--;
		if (begin > part->begin && !(border > y[begin - 1] && border <= y[begin]))
			border = y[begin];
		if (n && begin == ret[n - 1].begin)
			continue;
		ret[n++] = (struct part){begin, 0, border, centre, false};
	}
	for (i = 0; i < n; i++)
		ret[i].end = i + 1 < n ? ret[i + 1].begin : part->end;
	return n;
}

/* The parts of @part, at most @most; 1: it is whole. */
static unsigned split(const double *y, const struct part *part, unsigned most, struct part *ret)
{
	size_t n = part->end - part->begin;
	size_t distinct = count_distinct(y + part->begin, n);
	struct view *view;
	struct humps humps;
	unsigned found;

	if (most >= FEW && distinct > 1 && are_few(y + part->begin, n, distinct))
		return split_few(y, part, ret);
	if (distinct < 2 || n < NUMBERS_MIN)
		return 1;
	view = mem_alloc(sizeof(*view));
	view->z = mem_alloc(n * sizeof(*view->z));
	view->distinct = distinct;
	look(view, y + part->begin, n);
	find_clusters(view, view->kde.density, most, &humps);
	if (humps.n == 1)
		find_clusters(view, view->kde.even, most, &humps);
	found = take_parts(view, &humps, y, part, ret);
	ret[0].border = part->border;
	free(view->z);
	free(view);
	return found;
}

/* Split parts until all are whole. */
static unsigned find_parts(const double *y, size_t n, struct part *parts)
{
	unsigned count = 1;
	unsigned i = 0;

	parts[0] = (struct part){0, n, y[0], quantile(y, n, 0.5), false};
	while (i < count) {
		struct part found[CLUSTERS_MAX];
		unsigned k = 1;

		if (!parts[i].whole)
			k = split(y, &parts[i], CLUSTERS_MAX - count + 1, found);
		if (k == 1) {
			parts[i++].whole = true;
			continue;
		}
		memmove(&parts[i + k], &parts[i + 1], (count - i - 1) * sizeof(*parts));
		memcpy(&parts[i], found, k * sizeof(*parts));
		count += k - 1;
	}
	return count;
}

/* A power of two, by which numbers whose difference is none are divided; 1 for all others. */
static double safe_unit(const double *y, size_t n)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < n; i++)
		largest = fmax(largest, fabs(y[i]));
	return largest > LARGEST ? 16 : 1;
}

void density_find(const double *y, size_t n, struct clusters *ret)
{
	double *rising = mem_alloc(n * sizeof(*rising));
	double unit = safe_unit(y, n);
	struct part parts[CLUSTERS_MAX];
	size_t i;

	*ret = (struct clusters){.n = 1};
	if (n) {
		for (i = 0; i < n; i++)
			rising[i] = y[i] / unit;
		gsl_sort(rising, 1, n);
		ret->n = find_parts(rising, n, parts);
	}
	for (i = 0; n && i < ret->n; i++) {
		ret->centres[i] = parts[i].centre * unit;
		ret->sizes[i] = parts[i].end - parts[i].begin;
		if (i)
			ret->borders[i - 1] = parts[i].border * unit;
	}
	free(rising);
}
