/*
 * A class of growth is distinguishable if its best curve misses the formula by more than noise
 * hides: the sum over calls of squared distances in deviations.
 */
#include "growth_ambiguity.h"

#include <math.h>

#include "model/data/moments.h"

/* A range with a larger ratio of maximum to minimum is not narrow. */
#define NARROW 10.0
/* Strong evidence in -2 log likelihood, even against the preference for slow growth. */
#define EVIDENCE 16.0

/* Squared distance of the best curve of @growth from the formula, in deviations. */
static double growth_distance(const struct annotation *annotation, const struct dataset *data,
			      const struct column *column, enum growth growth)
{
	const struct model *model = &annotation->cases[0].models[0];
	const double largest = growth_scaled(growth, annotation->features[0].max, 1, 1);
	struct moments m = {0};
	double unit = 0; /* deviation of the first call */
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const double *x = &column->numbers[data->order[i]];
		double deviation;

		if (column->absence[data->order[i]] != PRESENT)
			continue;
		deviation = annotation_value(&model->deviation, x);
		if (!(deviation > 0))
			return INFINITY;
		unit = unit > 0 ? unit : deviation;
		moments_add(&m, pow(unit / deviation, 2), growth_scaled(growth, *x, 1, 1) / largest,
			    annotation_value(&model->mean, x) / unit);
	}
	return m.xx > 0 ? m.yy - m.xy * m.xy / m.xx : INFINITY;
}

static bool is_single_formula(const struct annotation *annotation)
{
	return annotation->n_cases == 1 && annotation->n_features == 1 &&
	       !annotation->cases[0].n_conditions && annotation->cases[0].n_models == 1 &&
	       annotation->cases[0].models[0].growth != GROWTH_CONSTANT &&
	       annotation->cases[0].models[0].growth < GROWTH_FIXED;
}

/* "√n, n and n log n" */
static const char *growth_join(struct arena *arena, const enum growth *growths, unsigned n,
			       const char *last)
{
	const char *text = growth_info(growths[0])->symbol;
	unsigned i;

	for (i = 1; i < n; i++)
		text = arena_printf(arena, "%s%s%s", text, i + 1 == n ? last : ", ",
				    growth_info(growths[i])->symbol);
	return text;
}

const char *growth_ambiguity_note(const struct annotation *annotation, const struct dataset *data)
{
	const struct annotation_feature *feature = annotation->features;
	enum growth same[GROWTH_COUNT];
	enum growth growth;
	unsigned n = 0;
	size_t at;

	if (!is_single_formula(annotation) || !(feature->min > 0) ||
	    feature->max > NARROW * feature->min || feature->max <= 1)
		return NULL;
	at = samples_find_column(data->samples, COLUMN_FEATURE, feature->expression);
	if (at == data->samples->n_columns)
		return NULL;
	for (growth = GROWTH_LOG; growth < GROWTH_FIXED; growth++)
		if (growth == annotation->cases[0].models[0].growth ||
		    growth_distance(annotation, data, &data->samples->columns[at], growth) <
			    EVIDENCE)
			same[n++] = growth;
	if (n < 2)
		return NULL;
	return arena_printf(annotation->arena, "The range of %s is too narrow to tell %s%s.",
			    feature->expression,
			    growth_join(annotation->arena, same, n, n == 2 ? " from " : " and "),
			    n == 2 ? "" : " apart");
}
