/*
 * Round numbers in an interval: the multiples of the largest power of ten that has one there.
 */
#include "round_threshold.h"

#include <math.h>

enum { DIGITS = 17 };

/* @count * 10^@exponent, in one operation: the closest double to the decimal. */
static double decimal(double count, int exponent)
{
	return exponent < 0 ? count / pow(10, -exponent) : count * pow(10, exponent);
}

/* The multiple of 10^@exponent in the interval closest to its middle. */
static bool find_multiple(double low, double high, int exponent, double *ret)
{
	double middle = low / 2 + high / 2;
	double step = pow(10, exponent);
	double count = rint(middle / step);
	double closest = INFINITY;
	int away;

	if (!(step > 0) || !isfinite(count))
		return false;
	for (away = -1; away <= 1; away++) {
		double number = decimal(count + away, exponent);

		if (!(number >= low && number < high) || fabs(number - middle) >= closest)
			continue;
		closest = fabs(number - middle);
		*ret = number;
	}
	return isfinite(closest);
}

double round_threshold(double low, double high, bool whole)
{
	int top = (int)ceil(log10(fmax(fabs(low), fabs(high))));
	int bottom = whole ? 0 : top - DIGITS;
	double number = low;
	int exponent;

	if (low <= 0 && high > 0)
		return 0;
	for (exponent = top; exponent >= bottom; exponent--)
		if (find_multiple(low, high, exponent, &number))
			return number;
	return low;
}
