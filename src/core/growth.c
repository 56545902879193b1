/* The table of growths, and their values. model/regression/basis.c combines them. */
#include "growth.h"

#include <math.h>

static const struct growth_info growths[GROWTH_COUNT] = {
	[GROWTH_CONSTANT] = {"constant", "constant", "1", 0, 0, 0, 0},
	[GROWTH_LOG] = {"log", "log n", "log n", 0, 1, 3, 0.01},
	[GROWTH_SQRT] = {"sqrt", "square root of n", "√n", 0.5, 0, 3, 0.01},
	[GROWTH_LINEAR] = {"linear", "linear", "n", 1, 0, 0, 0},
	[GROWTH_NLOGN] = {"nlogn", "n log n", "n log n", 1, 1, 3, 0.01},
	[GROWTH_QUADRATIC] = {"quadratic", "quadratic", "n²", 2, 0, 8, 0.05},
	[GROWTH_CUBIC] = {"cubic", "cubic", "n³", 3, 0, 8, 0.05},
	[GROWTH_POWER] = {"power", "power of n", "nᵖ", 0, 0, 0, 0},
	[GROWTH_EXPONENTIAL] = {"exponential", "exponential", "2ⁿ", 0, 0, 0, 0},
};

const struct growth_info *growth_info(enum growth growth)
{
	return &growths[growth];
}

const char *growth_name(enum growth growth)
{
	return growths[growth].name;
}

const char *growth_phrase(enum growth growth)
{
	return growths[growth].phrase;
}

enum growth growth_of(double power, unsigned log)
{
	enum growth growth = GROWTH_CONSTANT;

	while (growth + 1 < GROWTH_FIXED && !(power < growths[growth].power) &&
	       (power != growths[growth].power || log > growths[growth].log))
		growth++;
	return !log && power > 0 && power != growths[growth].power ? GROWTH_POWER : growth;
}

bool growth_is_defined(enum growth growth, double x)
{
	const struct growth_info *info = &growths[growth];

	if (info->log)
		return x > 0 || (x == 0 && info->power > 0);
	return x >= 0 || floor(info->power) == info->power;
}

/* Multiply whole powers out: exact as long as possible, and quick. */
static inline double power_of(double x, double power)
{
	double product = 1;

	for (; power >= 1; power--)
		product *= x;
	if (power == 0)
		return product;
	return product * (power == 0.5 ? sqrt(x) : pow(x, power));
}

static inline double product_of(const struct growth_info *info, double x, double log_x)
{
	double product = power_of(x, info->power);

	for (unsigned i = 0; i < info->log; i++)
		product *= log_x;
	return product;
}

double growth_product(enum growth growth, double x, double log_x)
{
	return product_of(&growths[growth], x, log_x);
}

double growth_scaled(enum growth growth, double x, double scale, double log_scale)
{
	const struct growth_info *info = &growths[growth];

	return product_of(info, x / scale, info->log && x > 0 ? log(x) / log_scale : 0);
}

double growth_unscale(enum growth growth, double value, double scale, double log_scale)
{
	double power = growths[growth].power;

	for (; power >= 1; power--)
		value /= scale;
	value /= power_of(scale, power);
	for (unsigned i = 0; i < growths[growth].log; i++)
		value /= log_scale;
	return value;
}
