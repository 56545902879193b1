/*
 * Chooses the scale of numbers, and splits parts recursively. density_modes.c decides which modes
 * count.
 *
 * Numbers on a lattice (counts, timer ticks) are spread evenly over their cells first, or each
 * would be a mode.
 */
#include "density_clusters.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "density_modes.h"
#include "model/data/row_order.h"

enum {
	NUMBERS_MIN = 8, /* fewer are one cluster unless they repeat */
	OFTEN = 5,       /* repeated this often, not by chance */
	FEW = 3,         /* as few distinct numbers are a choice, not a distribution */
};

/* Minimum share of a repeated number. */
#define SHARE_MIN 0.005
/* Ratio of the 95 % and 5 % quantiles that counts as decades. */
#define DECADES 20.0
/* Range over interquartile range of heavy tails. */
#define FAR 30.0

/* The difference of larger numbers may overflow. */
#define LARGEST 1e307

enum scale_kind { SCALE_EVEN, SCALE_LOG, SCALE_TAILS };

struct scale {
	enum scale_kind kind;
	double middle, unit; /* z is in units from the middle; not SCALE_LOG */
};

static double density_quantile(const double *y, size_t n, double part)
{
	return gsl_stats_quantile_from_sorted_data(y, 1, n, part);
}

/* The scale of the rising numbers @y. */
static struct scale choose_scale(const double *y, size_t n)
{
	double half = density_quantile(y, n, 0.75) - density_quantile(y, n, 0.25);
	struct scale scale = {SCALE_EVEN, density_quantile(y, n, 0.5), y[n - 1] - y[0]};

	if (y[0] > 0 && density_quantile(y, n, 0.95) / density_quantile(y, n, 0.05) > DECADES) {
		scale.kind = SCALE_LOG;
	} else if (half > 0 && scale.unit > FAR * half) {
		scale.kind = SCALE_TAILS;
		scale.unit = half;
	}
	return scale;
}

static double to_scale(const struct scale *scale, double y)
{
	switch (scale->kind) {
	case SCALE_EVEN:
		return (y - scale->middle) / scale->unit;
	case SCALE_LOG:
		return log(y);
	case SCALE_TAILS:
		return asinh((y - scale->middle) / scale->unit);
	}
	return y;
}

static double from_scale(const struct scale *scale, double z)
{
	switch (scale->kind) {
	case SCALE_EVEN:
		return scale->middle + scale->unit * z;
	case SCALE_LOG:
		return exp(z);
	case SCALE_TAILS:
		return scale->middle + scale->unit * sinh(z);
	}
	return z;
}

/* The lower quartile of the gaps between the @distinct numbers in @y; 0: none are equal. */
static double lattice(const double *y, size_t n, size_t distinct)
{
	double *gaps;
	double step;
	size_t i, count = 0;

	if (distinct == n)
		return 0;
	gaps = mem_alloc(distinct * sizeof(*gaps));
	for (i = 1; i < n; i++)
		if (y[i] > y[i - 1])
			gaps[count++] = y[i] - y[i - 1];
	step = gsl_stats_select(gaps, 1, count, (count - 1) / 4);
	free(gaps);
	return step;
}

/* Spread equal numbers evenly half way to their neighbours, but at most by @step. */
static void density_spread(const double *y, size_t n, double step, double *ret)
{
	size_t i, begin = 0;

	if (y[0] > 0)
		step = fmin(step, y[0] / 2);
	while (begin < n) {
		size_t end = begin + 1;
		double below, above;

		while (end < n && y[end] == y[begin])
			end++;
		below = begin ? fmin(step, (y[begin] - y[begin - 1]) / 2) : step / 2;
		above = end < n ? fmin(step, (y[end] - y[begin]) / 2) : step / 2;
		for (i = begin; i < end; i++)
			ret[i] = y[i] - below +
				 (below + above) * ((i - begin + 0.5) / (end - begin));
		begin = end;
	}
}

static size_t density_count_distinct(const double *y, size_t n)
{
	size_t distinct = n > 0;
	size_t i;

	for (i = 1; i < n; i++)
		distinct += y[i] != y[i - 1];
	return distinct;
}

struct looked {
	struct scale scale;
	struct density_view view;
	struct density_modes modes;
	double z[]; /* the view's */
};

static void density_estimate(struct looked *looked, const double *y, size_t n, size_t distinct)
{
	double *z = looked->z;
	size_t i;

	density_spread(y, n, lattice(y, n, distinct), z);
	looked->scale = choose_scale(z, n);
	for (i = 0; i < n; i++)
		z[i] = to_scale(&looked->scale, z[i]);
	looked->view.z = z;
	looked->view.n = n;
	kde_estimate(z, n, distinct, &looked->view.kde);
}

static double density_place(const struct looked *looked, size_t cell)
{
	return from_scale(&looked->scale, density_modes_place(&looked->view, cell));
}

/* A part of the rising numbers. */
struct part {
	size_t begin, end;
	double border; /* at its begin */
	double centre;
	bool whole; /* it cannot be split */
};

/* Few distinct numbers, each seen often, are a cluster each. */
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

/* One part per mode; a border never separates equal numbers. */
static unsigned take_parts(const struct looked *looked, const double *y, const struct part *part,
			   struct part *ret)
{
	const struct density_modes *modes = &looked->modes;
	unsigned n = 0;
	unsigned i;

	for (i = 0; i < modes->n; i++) {
		const struct density_mode *mode = &modes->of[i];
		size_t begin = part->begin + mode->begin;
		double border = density_place(looked, mode->bottom);
		double centre = density_place(looked, mode->top);

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
	size_t distinct = density_count_distinct(y + part->begin, n);
	struct looked *looked;
	unsigned found;

	if (most >= FEW && distinct > 1 && are_few(y + part->begin, n, distinct))
		return split_few(y, part, ret);
	if (distinct < 2 || n < NUMBERS_MIN)
		return 1;
	looked = mem_alloc(sizeof(*looked) + n * sizeof(double));
	density_estimate(looked, y + part->begin, n, distinct);
	density_modes_find(&looked->view, most, &looked->modes);
	found = take_parts(looked, y, part, ret);
	ret[0].border = part->border;
	free(looked);
	return found;
}

/* Split parts until all are whole. */
static unsigned find_parts(const double *y, size_t n, struct part *parts)
{
	unsigned count = 1;
	unsigned i = 0;

	parts[0] = (struct part){0, n, y[0], density_quantile(y, n, 0.5), false};
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

/* A power of two that keeps differences finite; usually 1. */
static double safe_unit(const double *y, size_t n)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < n; i++)
		largest = fmax(largest, fabs(y[i]));
	return largest > LARGEST ? 1024 : 1;
}

void density_clusters_find(const double *y, size_t n, struct clusters *ret)
{
	double *rising = mem_alloc(n * sizeof(*rising));
	double unit = safe_unit(y, n);
	struct part parts[CLUSTERS_MAX];
	size_t i;

	*ret = (struct clusters){.n = 1};
	if (n) {
		for (i = 0; i < n; i++)
			rising[i] = y[i] / unit;
		row_order_sort_numbers(rising, n);
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
