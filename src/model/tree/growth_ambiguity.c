/*
 * A class of growth is distinguishable if its best curve misses the formula by more than noise
 * hides: the sum over a case's calls of squared distances in deviations.
 */
#include "growth_ambiguity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/data/annotated_rows.h"
#include "model/data/moments.h"

/* A range with a larger ratio of maximum to minimum is not narrow. */
#define NARROW 10.0
/* Strong evidence in -2 log likelihood, even against the preference for slow growth. */
#define EVIDENCE 16.0

/* A case with one formula of one feature, and its calls. */
struct narrow {
	const struct annotation_case *in;
	unsigned feature;
	double *x; /* [n] with n_features numbers each */
	size_t n, n_features;
	double min, max; /* of the feature */
};

/* Squared distance of the best curve of @growth from the formula, in deviations. */
static double growth_distance(const struct narrow *narrow, enum growth growth)
{
	const struct model *model = &narrow->in->models[0];
	const double largest = growth_scaled(growth, narrow->max, 1, 1);
	struct moments m = {0};
	double unit = 0; /* deviation of the first call */
	size_t i;

	for (i = 0; i < narrow->n; i++) {
		const double *x = &narrow->x[i * narrow->n_features];
		const double deviation = annotation_value(&model->deviation, x);

		if (!(deviation > 0))
			return INFINITY;
		unit = unit > 0 ? unit : deviation;
		moments_add(&m, pow(unit / deviation, 2),
			    growth_scaled(growth, x[narrow->feature], 1, 1) / largest,
			    annotation_value(&model->mean, x) / unit);
	}
	return m.xx > 0 ? m.yy - m.xy * m.xy / m.xx : INFINITY;
}

/* Is @in one formula of one feature, @ret, of a class that others may be taken for? */
static bool is_single_formula(const struct annotation *annotation, const struct annotation_case *in,
			      unsigned *ret)
{
	const struct model *model = &in->models[0];
	unsigned used = 0, i;

	if (in->n_models != 1 || model->growth == GROWTH_CONSTANT || model->growth >= GROWTH_FIXED)
		return false;
	for (i = 0; i < annotation->n_features; i++) {
		if (!annotation_formula_uses(&model->mean, i))
			continue;
		*ret = i;
		used++;
	}
	return used == 1;
}

/* The calls of the case that have the feature. */
static void narrow_read(struct narrow *narrow, const struct annotated_rows *rows,
			const struct dataset *data, struct argument *arguments)
{
	const struct annotation *annotation = rows->annotation;
	size_t i;

	narrow->n = 0;
	narrow->min = INFINITY;
	narrow->max = -INFINITY;
	for (i = 0; i < data->n_rows; i++) {
		double *x = &narrow->x[narrow->n * narrow->n_features];

		annotated_rows_numbers(rows, data->order[i], x);
		annotated_rows_arguments(rows, data->order[i], arguments);
		if (isnan(x[narrow->feature]) || annotated_rows_case(rows, arguments) !=
							 (size_t)(narrow->in - annotation->cases))
			continue;
		narrow->min = fmin(narrow->min, x[narrow->feature]);
		narrow->max = fmax(narrow->max, x[narrow->feature]);
		narrow->n++;
	}
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

/* The case's scope as the annotation has it, with a blank; nothing without. */
static const char *narrow_scope(const struct annotation *annotation, const struct narrow *narrow)
{
	const char *ret;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		mem_out_of_memory();
	annotation_print_scope(annotation, narrow->in, out);
	if (fclose(out))
		mem_out_of_memory();
	ret = arena_strdup(annotation->arena, text);
	free(text);
	return ret;
}

static const char *narrow_note(const struct annotation *annotation, const struct narrow *narrow)
{
	struct arena *arena = annotation->arena;
	enum growth same[GROWTH_COUNT];
	enum growth growth;
	const char *scope;
	unsigned n = 0;

	if (!(narrow->min > 0) || narrow->max > NARROW * narrow->min || narrow->max <= 1)
		return NULL;
	for (growth = GROWTH_LOG; growth < GROWTH_FIXED; growth++)
		if (growth == narrow->in->models[0].growth ||
		    growth_distance(narrow, growth) < EVIDENCE)
			same[n++] = growth;
	if (n < 2)
		return NULL;
	scope = narrow_scope(annotation, narrow);
	return arena_printf(arena, "%s%she range of %s is too narrow to tell %s%s.", scope,
			    *scope ? "t" : "T", annotation->features[narrow->feature].expression,
			    growth_join(arena, same, n, n == 2 ? " from " : " and "),
			    n == 2 ? "" : " apart");
}

const char *growth_ambiguity_note(const struct annotation *annotation, size_t at,
				  const struct dataset *data)
{
	struct narrow narrow = {.in = &annotation->cases[at], .n_features = annotation->n_features};
	struct arena *arena;
	struct annotated_rows rows;
	const char *text = NULL;

	if (!is_single_formula(annotation, narrow.in, &narrow.feature))
		return NULL;
	arena = arena_create();
	narrow.x = mem_alloc((data->n_rows + 1) * narrow.n_features * sizeof(*narrow.x));
	if (annotated_rows_find(annotation, data->samples, arena, &rows)) {
		narrow_read(&narrow, &rows, data,
			    arena_array(arena, struct argument, narrow.n_features));
		text = narrow_note(annotation, &narrow);
	}
	free(narrow.x);
	arena_destroy(arena);
	return text;
}
