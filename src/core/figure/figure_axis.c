/* Axes: places, ticks and short numbers, for all finite doubles, from denormal to huge. */
#include "figure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Clamp for places far outside, which then fit into any integer. */
#define PLACE_MOST 1e6
/* A step this much beyond an end is a rounding error. */
#define ROUNDING 1e-9

static double bound(double number, double low, double high)
{
	return fmin(fmax(number, low), high);
}

/* The logarithm of @number over the axis' low end. */
static double log_of(const struct figure_axis *axis, double number)
{
	/* Precise near the low end; far away a ratio could overflow. */
	if (number < 2 * axis->low && number > axis->low / 2)
		return log1p((number - axis->low) / axis->low);
	return log(number) - log(axis->low);
}

double figure_place(const struct figure_axis *axis, double number)
{
	if (axis->is_log && !(number > 0))
		return -PLACE_MOST;
	return bound(axis->is_log ? log_of(axis, number) / log_of(axis, axis->high)
				  : (number / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2),
		     -PLACE_MOST, PLACE_MOST);
}

static double log_number(const struct figure_axis *axis, double place)
{
	const double away = place * log_of(axis, axis->high);

	return fabs(away) < 0.5 ? axis->low + axis->low * expm1(away) : exp(log(axis->low) + away);
}

double figure_number(const struct figure_axis *axis, double place)
{
	place = bound(place, -PLACE_MOST, PLACE_MOST);
	if (axis->is_log)
		return bound(log_number(axis, place), DBL_TRUE_MIN, DBL_MAX);
	return bound(axis->low * (1 - place) + axis->high * place, -DBL_MAX, DBL_MAX);
}

/* The smallest 1, 2 or 5 times a power of ten that is at least @least. */
static double round_up(double least)
{
	const double power = pow(10, floor(log10(least)));
	const double times[] = {1, 2, 5, 10};

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		if (times[i] * power >= least * (1 - ROUNDING))
			return times[i] * power;
	return 10 * power;
}

/* Multiples of @step between the ends, at most @max. */
static size_t multiples(const struct figure_axis *axis, double step, size_t max, double *ret)
{
	const double first = ceil(axis->low / step - ROUNDING);
	size_t n = 0;

	for (size_t i = 0; n < max && i <= max; i++) {
		double tick = (first + i) * step;

		/* 3 * 0.1 should print as 0.3 */
		char text[32];

		snprintf(text, sizeof(text), "%.12g", tick);
		if (fabs(step) > ROUNDING * fabs(tick))
			tick = strtod(text, NULL);
		if (!isfinite(tick) || tick > axis->high + ROUNDING * step)
			break;
		if (n && tick <= ret[n - 1])
			break;
		if (axis->is_log && tick < axis->low)
			continue;
		ret[n++] = tick == 0 ? 0 : tick;
	}
	return n;
}

static size_t linear_ticks(const struct figure_axis *axis, size_t max, double *ret)
{
	const double span = axis->high / 2 - axis->low / 2;
	double step = round_up(fmax(span / max * 2, 1e-300));

	if (axis->labels && step < 1)
		step = 1;
	/* Both ends may be ticks. */
	if (floor(axis->high / step + ROUNDING) - ceil(axis->low / step - ROUNDING) + 1 > max)
		step = round_up(step * 1.5);
	return multiples(axis, step, max, ret);
}

static size_t add_decade(const struct figure_axis *axis, double power, bool full, size_t n,
			 double *ret)
{
	static const double times[] = {1, 2, 5};

	for (size_t i = 0; i < (full ? 3 : 1); i++) {
		char text[32];
		double tick;

		snprintf(text, sizeof(text), "%ge%.0f", times[i], power);
		tick = strtod(text, NULL);
		if (isfinite(tick) && tick >= axis->low && tick <= axis->high)
			ret[n++] = tick;
	}
	return n;
}

static size_t log_ticks(const struct figure_axis *axis, size_t max, double *ret)
{
	const double first = floor(log10(axis->low));
	const double last = floor(log10(axis->high));
	const double decades = last - first + 1;
	const bool full = 3 * decades <= max;
	const double stride = full ? 1 : fmax(1, ceil(decades / max));
	double power = stride * ceil(first / stride);
	size_t n = 0;

	for (; power <= last && n + (full ? 3 : 1) <= max; power += stride)
		n = add_decade(axis, power, full, n, ret);
	return n;
}

size_t figure_ticks(const struct figure_axis *axis, size_t max, double *ret)
{
	size_t n = 0;

	if (!max || !(axis->low < axis->high))
		return 0;
	if (axis->is_log)
		n = log_ticks(axis, max, ret);
	/* Within a decade there are round numbers between powers of ten. */
	return n < 2 ? linear_ticks(axis, max, ret) : n;
}

void figure_text(double number, char ret[FIGURE_TEXT])
{
	char *exponent;
	char text[FIGURE_TEXT];

	snprintf(text, sizeof(text), "%.6g", number == 0 ? 0 : number);
	exponent = strchr(text, 'e');
	if (exponent) {
		const int power = atoi(exponent + 1);

		*exponent = '\0';
		snprintf(ret, FIGURE_TEXT, "%.12se%d", text, power);
	} else {
		memcpy(ret, text, sizeof(text));
	}
}
