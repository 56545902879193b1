/* Fits by one-dimensional search: the sum of squares has one minimum in the slope. */
#include "causal_curve.h"

#include <math.h>

enum { STEPS = 40, KNEE_PARAMETERS = 3 };

static const double GOLDEN = 0.6180339887498949;
static const double STEEPEST = 20; /* falling */
static const double GAIN_MOST = 0.999;

static double curve_squares(const struct causal_pair *pairs, size_t n, double slope, double knee)
{
	double sum = 0, off;
	size_t i;

	for (i = 0; i < n; i++) {
		off = pairs[i].log_ratio -
		      log(1 - fmin(slope * fmin(pairs[i].speedup, knee), GAIN_MOST));
		sum += pairs[i].weight * off * off;
	}
	return sum;
}

double causal_curve_slope(const struct causal_pair *pairs, size_t n, double knee)
{
	double low = -STEEPEST, high, a, b, at_a, at_b, most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		most = fmax(most, fmin(pairs[i].speedup, knee));
	high = most > 0 ? GAIN_MOST / most : 0;
	a = high - GOLDEN * (high - low);
	b = low + GOLDEN * (high - low);
	at_a = curve_squares(pairs, n, a, knee);
	at_b = curve_squares(pairs, n, b, knee);
	for (i = 0; i < STEPS; i++)
		if (at_a < at_b) {
			high = b;
			b = a;
			at_b = at_a;
			a = high - GOLDEN * (high - low);
			at_a = curve_squares(pairs, n, a, knee);
		} else {
			low = a;
			a = b;
			at_a = at_b;
			b = low + GOLDEN * (high - low);
			at_b = curve_squares(pairs, n, b, knee);
		}
	return (low + high) / 2;
}

static bool is_highest(const struct causal_pair *pairs, size_t n, double speedup)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (pairs[i].speedup > speedup)
			return false;
	return true;
}

struct causal_curve causal_curve_fit(const struct causal_pair *pairs, size_t n)
{
	struct causal_curve best = {causal_curve_slope(pairs, n, INFINITY), INFINITY}, curve;
	double least = curve_squares(pairs, n, best.slope, INFINITY);
	const double needed = exp(-KNEE_PARAMETERS * log((double)n) / (double)n);
	double allowed = least * needed, squares;
	size_t i;

	for (i = 0; i < n; i++) {
		curve.knee = pairs[i].speedup;
		if (is_highest(pairs, n, curve.knee))
			continue;
		curve.slope = causal_curve_slope(pairs, n, curve.knee);
		squares = curve_squares(pairs, n, curve.slope, curve.knee);
		if (squares >= allowed)
			continue;
		allowed = squares;
		best = curve;
	}
	return best;
}
