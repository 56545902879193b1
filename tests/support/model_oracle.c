/*
 * What can be known of a law from its rows at all: classes that are too alike, and laws that
 * explain too little, would measure luck.
 */
#include "model_laws.h"

/*
 * The least separation from other classes, as a part of -2 log likelihood, and the least part of
 * the variance.
 */
#define LEAST_CHI2 30.0
#define LEAST_R2   0.82

/*
 * The weighted sum of squares around the best a + b * class of @x[feature], of the rows of @part
 * with the costs @y.
 */
static double misfit(const struct law_table *law, unsigned part, unsigned feature,
		     enum growth growth, const double *y)
{
	double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, slope, level, sse = 0;
	int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		if (pass) {
			sx /= s, sy /= s;
		}
		for (i = 0; i < LAW_ROWS; i++) {
			double w = 1 / (law->sigma[i] * law->sigma[i]);
			double x = law_growth_value(growth, law->x[i][feature]);

			if (law->part[i] != part)
				continue;
			if (pass) {
				sxx += w * (x - sx) * (x - sx);
				sxy += w * (x - sx) * (y[i] - sy);
			} else {
				s += w, sx += w * x, sy += w * y[i];
			}
		}
	}
	slope = sxx > 0 ? sxy / sxx : 0;
	level = sy - slope * sx;
	for (i = 0; i < LAW_ROWS; i++) {
		double x = law_growth_value(growth, law->x[i][feature]);
		double r = (y[i] - level - slope * x) / law->sigma[i];

		if (law->part[i] == part)
			sse += r * r;
	}
	return sse;
}

/* The feature of a part with one feature and one term; LAW_FEATURES: it is not so. */
static unsigned only_feature(const struct law_part *part)
{
	unsigned found = LAW_FEATURES, i;

	if (part->n_terms != 1)
		return LAW_FEATURES;
	for (i = 0; i < LAW_FEATURES; i++)
		if (law_uses(part, i)) {
			if (found < LAW_FEATURES)
				return LAW_FEATURES;
			found = i;
		}
	return found;
}

/* How much worse the best other class of a part is. */
static double separation(const struct law_table *law, unsigned part, const double *y)
{
	const struct law_part *of = &law->family->parts[part];
	unsigned feature = only_feature(of);
	double least = INFINITY, own;
	enum growth growth;

	if (feature == LAW_FEATURES)
		return INFINITY;
	own = misfit(law, part, feature, of->terms[0].growth[feature], y);
	for (growth = GROWTH_CONSTANT; growth < GROWTH_FIXED; growth++)
		if (growth != of->terms[0].growth[feature])
			least = fmin(least, misfit(law, part, feature, growth, y) - own);
	return least;
}

bool law_oracle(const struct law_table *law)
{
	unsigned i;

	for (i = 0; i < law->family->n_parts; i++)
		if (separation(law, i, law->y) <= 0)
			return false;
	return true;
}

/* The part of the variance that is the law's, in those of its parts that vary. */
static bool explains_enough(const struct law_table *law, unsigned part)
{
	double n = 0, mean = 0, variance = 0, noise = 0;
	size_t i;

	for (i = 0; i < LAW_ROWS; i++)
		if (law->part[i] == part)
			n++, mean += law->mean[i];
	for (i = 0; i < LAW_ROWS; i++)
		if (law->part[i] == part) {
			double d = law->mean[i] - mean / n;

			variance += d * d;
			noise += law->sigma[i] * law->sigma[i];
		}
	return variance >= LEAST_R2 * (variance + noise);
}

bool law_is_identifiable(const struct law_table *law)
{
	size_t n[LAW_PARTS] = {0}, i;

	if (law->family->noise == LAW_BURIED)
		return true;
	for (i = 0; i < LAW_ROWS; i++)
		n[law->part[i]]++;
	for (i = 0; i < law->family->n_parts; i++) {
		if (n[i] < (law->family->n_parts > 2 ? 20 : 30))
			return false;
		if (separation(law, i, law->mean) < LEAST_CHI2)
			return false;
		if (law->family->parts[i].n_terms && !explains_enough(law, i))
			return false;
	}
	return true;
}
