/*
 * From the maxima of a density to its modes: drops shallow dips, small modes and those that chance
 * explains, one at a time. density_clusters.c chooses numbers and scale.
 */
#include "density_modes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/bisect.h"
#include "unimodal.h"

enum { CLUSTER_MIN = 3 }; /* numbers */

/* Minimum share of a cluster. */
#define SHARE_MIN 0.005
/* Dips above this part of the smaller mode are ignored. */
#define SHALLOW 0.8
/* Limits in log likelihood: a dip against chance; two normal distributions against one mode. */
#define CLEAR    9.0
#define LIKELIER 5.0

/* Index of the first number not below @z. */
static size_t mode_find(const struct density_view *view, double z)
{
	return BISECT_FIRST(i, view->n, view->z[i] < z);
}

double density_modes_place(const struct density_view *view, size_t cell)
{
	return view->kde.low + cell * view->kde.step;
}

static double height(const struct density_view *view, size_t cell)
{
	return view->density[cell];
}

/* The density in the dip before mode @i over that of the smaller mode beside it. */
static double keeps(const struct density_view *view, const struct density_modes *modes, unsigned i)
{
	const struct density_mode *mode = &modes->of[i];

	return height(view, mode->bottom) /
	       fmin(height(view, mode[-1].top), height(view, mode->top));
}

/* Remove the dip before mode @i. */
static void mode_join(const struct density_view *view, struct density_modes *modes, unsigned i)
{
	struct density_mode *mode = &modes->of[i];

	if (height(view, mode->top) > height(view, mode[-1].top))
		mode[-1].top = mode->top;
	memmove(mode, mode + 1, (modes->n - i - 1) * sizeof(*mode));
	modes->n--;
}

static unsigned shallowest(const struct density_view *view, const struct density_modes *modes)
{
	unsigned best = 1;
	unsigned i;

	for (i = 2; i < modes->n; i++)
		if (keeps(view, modes, i) > keeps(view, modes, best))
			best = i;
	return best;
}

/* All modes; if too many, those at the shallowest dips are joined. */
static void find_all_modes(const struct density_view *view, struct density_modes *ret)
{
	size_t bottom = 0;
	bool rising = true;
	size_t i;

	ret->n = 0;
	for (i = 1; i <= KDE_GRID; i++) {
		if (rising && (i == KDE_GRID || height(view, i) < height(view, i - 1))) {
			if (ret->n == MODES_MAX)
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

static size_t mode_end_of(const struct density_view *view, const struct density_modes *modes,
			  unsigned i)
{
	return i + 1 < modes->n ? modes->of[i + 1].begin : view->n;
}

static void drop_shallow(const struct density_view *view, struct density_modes *modes)
{
	while (modes->n > 1) {
		unsigned i = shallowest(view, modes);

		if (keeps(view, modes, i) < SHALLOW)
			break;
		mode_join(view, modes, i);
	}
}

static void drop_small(const struct density_view *view, struct density_modes *modes)
{
	double least = fmax(CLUSTER_MIN, SHARE_MIN * view->n);
	unsigned i = 0;

	while (i < modes->n && modes->n > 1) {
		bool right;

		if (mode_end_of(view, modes, i) - modes->of[i].begin >= least) {
			i++;
			continue;
		}
		right = i == 0 || (i + 1 < modes->n && height(view, modes->of[i + 1].bottom) >
							       height(view, modes->of[i].bottom));
		mode_join(view, modes, right ? i + 1 : i);
		i = 0;
	}
}

struct stretch {
	size_t low, high; /* cells, the last included */
};

/* The stretch around @cell on the same side of @level, within @within. */
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

/* Log likelihood ratio of the numbers in dip and mode: density rising or not. */
static double mode_rise(const struct density_view *view, size_t bottom, size_t top,
			struct stretch within)
{
	double level = (height(view, bottom) + height(view, top)) / 2;
	struct stretch dip = stretch_around(view, bottom, level, within);
	struct stretch mode = stretch_around(view, top, level, within);
	double k = mode_count(view, mode), low = mode_count(view, dip);
	double mode_length = mode.high - mode.low + 1;
	double part = mode_length / (mode_length + dip.high - dip.low + 1);

	if (k <= (k + low) * part)
		return 0;
	return times_log(k, (k + low) * part) + times_log(low, (k + low) * (1 - part));
}

/* Evidence for the dip before mode @i; CLEAR or more: a border. */
static double evidence(const struct density_view *view, const struct density_modes *modes,
		       unsigned i)
{
	const struct density_mode *one = &modes->of[i - 1];
	const struct density_mode *two = &modes->of[i];
	struct stretch within = {one->bottom, i + 1 < modes->n ? two[1].bottom : KDE_GRID - 1};
	double left = mode_rise(view, two->bottom, one->top, within);
	double right = mode_rise(view, two->bottom, two->top, within);
	double chance = fmin(left, right);
	double likelier;

	if (view->density == view->kde.density && chance >= CLEAR)
		return chance;
	likelier =
		unimodal_against_two(view->z + one->begin, mode_end_of(view, modes, i) - one->begin,
				     two->begin - one->begin);
	return likelier >= LIKELIER ? chance + CLEAR : chance;
}

/* Drop the least evident border while chance explains it, or there are too many. */
static void drop_chance(const struct density_view *view, struct density_modes *modes, unsigned most)
{
	while (modes->n > 1) {
		double least = INFINITY;
		unsigned worst = 1;
		unsigned i;

		for (i = 1; i < modes->n; i++) {
			double found = evidence(view, modes, i);

			if (found < least) {
				least = found;
				worst = i;
			}
		}
		if (least >= CLEAR && modes->n <= most)
			break;
		mode_join(view, modes, worst);
	}
}

static void find_with(struct density_view *view, const double *density, unsigned most,
		      struct density_modes *ret)
{
	view->density = density;
	find_all_modes(view, ret);
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
