/*
 * From the maxima of a density estimate to those that count: shallow dips, small humps and what
 * chance explains go, one at a time. Which numbers are looked at, and how, is density_clusters.c's
 * matter.
 */
#include "density_modes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "unimodal.h"

enum { CLUSTER_MIN = 3 }; /* fewer numbers are none of their own */

/* Of all numbers; less is no cluster. */
#define SHARE_MIN 0.005
/* A dip that is not deeper than this part of the smaller hump is none. */
#define SHALLOW 0.8
/*
 * Limits, in units of log likelihood: a dip that chance does not make, two normal distributions
 * against one hump.
 */
#define CLEAR    9.0
#define LIKELIER 5.0

/* The index of the first number that is not below @z. */
static size_t mode_find(const struct density_view *view, double z)
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

double density_modes_place(const struct density_view *view, size_t cell)
{
	return view->kde.low + cell * view->kde.step;
}

static double height(const struct density_view *view, size_t cell)
{
	return view->density[cell];
}

/* How much of the smaller hump beside it the dip before hump @i keeps. */
static double keeps(const struct density_view *view, const struct density_modes *humps, unsigned i)
{
	const struct density_mode *hump = &humps->of[i];

	return height(view, hump->bottom) /
	       fmin(height(view, hump[-1].top), height(view, hump->top));
}

/* Forget the dip before hump @i. */
static void mode_join(const struct density_view *view, struct density_modes *humps, unsigned i)
{
	struct density_mode *hump = &humps->of[i];

	if (height(view, hump->top) > height(view, hump[-1].top))
		hump[-1].top = hump->top;
	memmove(hump, hump + 1, (humps->n - i - 1) * sizeof(*hump));
	humps->n--;
}

static unsigned shallowest(const struct density_view *view, const struct density_modes *humps)
{
	unsigned best = 1;
	unsigned i;

	for (i = 2; i < humps->n; i++)
		if (keeps(view, humps, i) > keeps(view, humps, best))
			best = i;
	return best;
}

/* All humps of the density; of more than fit the deepest dips' are kept. */
static void find_humps(const struct density_view *view, struct density_modes *ret)
{
	size_t bottom = 0;
	bool rising = true;
	size_t i;

	ret->n = 0;
	for (i = 1; i <= KDE_GRID; i++) {
		if (rising && (i == KDE_GRID || height(view, i) < height(view, i - 1))) {
			if (ret->n == HUMPS_MAX)
				mode_join(view, ret, shallowest(view, ret));
			ret->of[ret->n++] = (struct density_mode){.top = i - 1, .bottom = bottom};
			rising = false;
			bottom = i;
		} else if (i < KDE_GRID && !rising) {
			if (height(view, i) < height(view, bottom))
				bottom = i;
			rising = height(view, i) > height(view, i - 1);
		}
	}
	for (i = 0; i < ret->n; i++)
		ret->of[i].begin =
			i ? mode_find(view, density_modes_place(view, ret->of[i].bottom)) : 0;
}

static size_t mode_end_of(const struct density_view *view, const struct density_modes *humps,
			  unsigned i)
{
	return i + 1 < humps->n ? humps->of[i + 1].begin : view->n;
}

/* Dips that are next to nothing are no borders. */
static void drop_shallow(const struct density_view *view, struct density_modes *humps)
{
	while (humps->n > 1) {
		unsigned i = shallowest(view, humps);

		if (keeps(view, humps, i) < SHALLOW)
			break;
		mode_join(view, humps, i);
	}
}

static void drop_small(const struct density_view *view, struct density_modes *humps)
{
	double least = fmax(CLUSTER_MIN, SHARE_MIN * view->n);
	unsigned i = 0;

	while (i < humps->n && humps->n > 1) {
		bool right;

		if (mode_end_of(view, humps, i) - humps->of[i].begin >= least) {
			i++;
			continue;
		}
		right = i == 0 || (i + 1 < humps->n && height(view, humps->of[i + 1].bottom) >
							       height(view, humps->of[i].bottom));
		mode_join(view, humps, right ? i + 1 : i);
		i = 0;
	}
}

struct stretch {
	size_t low, high; /* cells, the last included */
};

/* From @cell as far as the density is on the same side of @level, within @low to @high. */
static struct stretch stretch_around(const struct density_view *view, size_t cell, double level,
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

static double mode_count(const struct density_view *view, struct stretch stretch)
{
	return mode_find(view, density_modes_place(view, stretch.high) + view->kde.step / 2) -
	       mode_find(view, density_modes_place(view, stretch.low) - view->kde.step / 2);
}

static double times_log(double k, double expected)
{
	return k > 0 ? k * log(k / expected) : 0;
}

/*
 * How much likelier the numbers in the dip and in the hump are with the density rising than
 * without.
 */
static double mode_rise(const struct density_view *view, size_t bottom, size_t top,
			struct stretch within)
{
	double level = (height(view, bottom) + height(view, top)) / 2;
	struct stretch dip = stretch_around(view, bottom, level, within);
	struct stretch hump = stretch_around(view, top, level, within);
	double k = mode_count(view, hump), low = mode_count(view, dip);
	double long_hump = hump.high - hump.low + 1;
	double part = long_hump / (long_hump + dip.high - dip.low + 1);

	if (k <= (k + low) * part)
		return 0;
	return times_log(k, (k + low) * part) + times_log(low, (k + low) * (1 - part));
}

/* How clear the dip before hump @i is, over CLEAR: certain. */
static double evidence(const struct density_view *view, const struct density_modes *humps,
		       unsigned i)
{
	const struct density_mode *one = &humps->of[i - 1];
	const struct density_mode *two = &humps->of[i];
	struct stretch within = {one->bottom, i + 1 < humps->n ? two[1].bottom : KDE_GRID - 1};
	double left = mode_rise(view, two->bottom, one->top, within);
	double right = mode_rise(view, two->bottom, two->top, within);
	double chance = fmin(left, right);
	double likelier;

	if (view->density == view->kde.density && chance >= CLEAR)
		return chance;
	likelier =
		unimodal_against_two(view->z + one->begin, mode_end_of(view, humps, i) - one->begin,
				     two->begin - one->begin);
	return likelier >= LIKELIER ? chance + CLEAR : chance;
}

/* Take away the least evident border as long as chance explains it, or there are too many. */
static void drop_chance(const struct density_view *view, struct density_modes *humps, unsigned most)
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
		mode_join(view, humps, worst);
	}
}

static void find_with(struct density_view *view, const double *density, unsigned most,
		      struct density_modes *ret)
{
	view->density = density;
	find_humps(view, ret);
	drop_shallow(view, ret);
	drop_small(view, ret);
	drop_chance(view, ret, most);
}

void density_modes_find(struct density_view *view, unsigned most, struct density_modes *ret)
{
	find_with(view, view->kde.density, most, ret);
	if (ret->n == 1)
		find_with(view, view->kde.even, most, ret);
}
