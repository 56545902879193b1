/* Estimates the density. density_modes.c interprets its dips. */
#include "kde.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"

enum {
	/* As much padding, so that kernels do not wrap around. */
	CIRCLE = 2 * KDE_GRID,
	OFFSET = KDE_GRID / 2,
	STAGES = 7, /* of the plug-in estimate, as in the source */
	TRIES = 32,
	CLASSES = 9, /* of kernel widths, half an octave apart */
};

/* Bandwidth bounds, as parts of the rule of thumb. */
#define NARROWEST 0.3
#define WIDEST    1.2
/* The narrowest class of kernels, as a part of the bandwidth. */
#define FACTOR_LEAST 0.5
/* exp(-FADED) is negligible. */
#define FADED 60.0

/* Split each number between the adjacent cells. */
static void bin(const double *x, size_t n, const struct kde *kde, double *cells)
{
	size_t i;

	memset(cells, 0, CIRCLE * sizeof(*cells));
	for (i = 0; i < n; i++) {
		double at = (x[i] - kde->low) / kde->step;
		size_t cell = at < KDE_GRID - 2 ? at : KDE_GRID - 2;
		double part = fmin(at - cell, 1);

		cells[OFFSET + cell] += (1 - part) / n;
		cells[OFFSET + cell + 1] += part / n;
	}
}

/*
 * Squared norm of the @s-th derivative of the density smoothed by @t, a squared part of the circle.
 */
static double roughness(const double *power, unsigned s, double t)
{
	double sum = 0;
	size_t j;

	for (j = 1; j < CIRCLE / 2; j++) {
		double square = 4 * M_PI * M_PI * j * j;

		if (square * t > FADED)
			break;
		sum += pow(square, s) * power[j] * exp(-square * t);
	}
	return 2 * sum;
}

/* The squared bandwidth that the plug-in starting from @t gives. */
static double plug_in(const double *power, double n, double t)
{
	double norm = roughness(power, STAGES, t);
	unsigned s, k;

	for (s = STAGES - 1; s >= 2; s--) {
		double odd = 1;

		for (k = 1; k < 2 * s; k += 2)
			odd *= k;
		odd *= (1 + pow(0.5, s + 0.5)) / 3 * 2 / sqrt(2 * M_PI);
		norm = roughness(power, s, pow(odd / (n * norm), 2 / (3.0 + 2 * s)));
	}
	return pow(2 * n * sqrt(M_PI) * norm, -0.4);
}

/*
 * The least bandwidth from @low to @high, parts of the circle, that is a fixed point of the
 * plug-in.
 */
static double fixed_point(const double *power, double n, double low, double high)
{
	double ratio = pow(high / low, 1.0 / TRIES);
	double h = low;
	unsigned i;

	for (i = 0; i < TRIES; i++, h *= ratio)
		if (!(plug_in(power, n, h * h) > h * h))
			return h;
	return high;
}

/* Silverman's bandwidth; if most numbers are equal, by the standard deviation. */
static double rule_of_thumb(const double *x, size_t n)
{
	double spread = gsl_stats_sd(x, 1, n);
	double middle = (gsl_stats_quantile_from_sorted_data(x, 1, n, 0.75) -
			 gsl_stats_quantile_from_sorted_data(x, 1, n, 0.25)) /
			1.349;

	if (middle > 0 && middle < spread)
		spread = middle;
	return 0.9 * spread * pow(n, -0.2);
}

static void transform(double *cells)
{
	gsl_fft_real_radix2_transform(cells, 1, CIRCLE);
}

/* Add @cells smoothed by kernels of @width cells to @sum; transforms @cells in place. */
static void add_smooth(double *cells, double width, double *sum)
{
	double rate = 2 * M_PI * M_PI * width * width / CIRCLE / CIRCLE;
	size_t j;

	transform(cells);
	sum[0] += cells[0];
	for (j = 1; j < CIRCLE / 2 && rate * j * j < FADED; j++) {
		double part = exp(-rate * j * j);

		sum[j] += part * cells[j];
		sum[CIRCLE - j] += part * cells[CIRCLE - j];
	}
}

static void kde_finish(double *sum, double *density)
{
	size_t i;

	gsl_fft_halfcomplex_radix2_inverse(sum, 1, CIRCLE);
	for (i = 0; i < KDE_GRID; i++)
		density[i] = fmax(sum[OFFSET + i], 0);
}

/* The kernel width's class at each cell, in half octaves from the least. */
static void choose_classes(const double *cells, const struct kde *pilot, double *class)
{
	double mean = 0;
	size_t i;

	for (i = 0; i < KDE_GRID; i++)
		if (cells[OFFSET + i] > 0)
			mean += cells[OFFSET + i] * log(fmax(pilot->even[i], 1e-300));
	for (i = 0; i < KDE_GRID; i++) {
		double factor = exp(0.5 * (mean - log(fmax(pilot->even[i], 1e-300))));
		double at = 2 * log2(factor / FACTOR_LEAST);

		class[i] = fmin(fmax(at, 0), CLASSES - 1);
	}
}

/* Cells between two classes contribute to both. */
static void adapt(const double *cells, double width, struct kde *kde, double *scratch)
{
	double *class = scratch;
	double *part = scratch + CIRCLE;
	double *sum = scratch + 2 * CIRCLE;
	size_t i;
	int c;

	choose_classes(cells, kde, class);
	memset(sum, 0, CIRCLE * sizeof(*sum));
	for (c = 0; c < CLASSES; c++) {
		memset(part, 0, CIRCLE * sizeof(*part));
		for (i = 0; i < KDE_GRID; i++)
			part[OFFSET + i] = cells[OFFSET + i] * fmax(1 - fabs(class[i] - c), 0);
		add_smooth(part, width * FACTOR_LEAST * exp2(c / 2.0), sum);
	}
	kde_finish(sum, kde->density);
}

void kde_estimate(const double *x, size_t n, size_t distinct, struct kde *ret)
{
	double *scratch = mem_alloc(4 * CIRCLE * sizeof(*scratch));
	double *cells = scratch + 3 * CIRCLE;
	double *power = scratch + CIRCLE;
	double *sum = scratch + 2 * CIRCLE;
	double thumb, width;
	size_t j;

	ret->low = x[0];
	ret->step = (x[n - 1] - x[0]) / (KDE_GRID - 1);
	bin(x, n, ret, cells);
	memcpy(scratch, cells, CIRCLE * sizeof(*scratch));
	transform(scratch);
	for (j = 1; j < CIRCLE / 2; j++)
		power[j] = scratch[j] * scratch[j] + scratch[CIRCLE - j] * scratch[CIRCLE - j];
	thumb = fmax(rule_of_thumb(x, n) / ret->step, 1) / CIRCLE;
	width = CIRCLE * fixed_point(power, distinct, NARROWEST * thumb, WIDEST * thumb);
	ret->bandwidth = width * ret->step;
	memcpy(scratch, cells, CIRCLE * sizeof(*scratch));
	add_smooth(scratch, width, sum);
	kde_finish(sum, ret->even);
	adapt(cells, width, ret, scratch);
	free(scratch);
}
