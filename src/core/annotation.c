/*
 * What annotations mean: classes of growth and the value of formulas. Printing is
 * annotation_print.c's.
 */
#include "core/annotation.h"

#include <math.h>

static const struct {
	const char *name;
	const char *phrase;
} growths[GROWTH_COUNT] = {
	[GROWTH_CONSTANT] = {"constant", "constant"},
	[GROWTH_LOG] = {"log", "log n"},
	[GROWTH_SQRT] = {"sqrt", "square root of n"},
	[GROWTH_LINEAR] = {"linear", "linear"},
	[GROWTH_NLOGN] = {"nlogn", "n log n"},
	[GROWTH_QUADRATIC] = {"quadratic", "quadratic"},
	[GROWTH_CUBIC] = {"cubic", "cubic"},
};

struct annotation *annotation_create(void)
{
	struct arena *arena = arena_create();
	struct annotation *annotation = arena_new(arena, struct annotation);

	annotation->arena = arena;
	return annotation;
}

void annotation_destroy(struct annotation *annotation)
{
	if (annotation)
		arena_destroy(annotation->arena);
}

const char *growth_name(enum growth growth)
{
	return growths[growth].name;
}

const char *growth_phrase(enum growth growth)
{
	return growths[growth].phrase;
}

enum growth factor_growth(const struct factor *factor)
{
	static const struct {
		double power;
		unsigned log;
		enum growth growth;
	} classes[] = {
		{0, 0, GROWTH_CONSTANT}, {0, 1, GROWTH_LOG},   {0.5, 0, GROWTH_SQRT},
		{1, 0, GROWTH_LINEAR},   {1, 1, GROWTH_NLOGN}, {2, 0, GROWTH_QUADRATIC},
	};
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (factor->power < classes[i].power ||
		    (factor->power == classes[i].power && factor->log <= classes[i].log))
			return classes[i].growth;
	return GROWTH_CUBIC;
}

/* A power of x beats its logarithm at 0: x^power * log(x)^log is 0 there. */
static double factor_value(const struct factor *factor, double x)
{
	double value = factor->power == 1 ? x : pow(x, factor->power);

	if (!factor->log)
		return value;
	if (x == 0 && factor->power > 0)
		return 0;
	return value * pow(log(x), factor->log);
}

double formula_value(const struct formula *formula, const double *x)
{
	double sum = 0;
	size_t i;
	unsigned j;

	for (i = 0; i < formula->n_terms; i++) {
		const struct term *term = &formula->terms[i];
		double value = term->coefficient;

		for (j = 0; j < term->n_factors; j++)
			value *= factor_value(&term->factors[j], x[term->factors[j].feature]);
		sum += value;
	}
	return sum;
}
