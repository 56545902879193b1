/* Curves of expectations; a formula that does not use the feature is a level line. */
#include "figure_compare.h"

#include <math.h>

#include "core/annotation/expectation.h"
#include "core/annotation/quote_head.h"
#include "figure_draw.h"

enum { STEPS = 80 };

/* @annotation's own feature of that expression, and how it follows from it; NULL: none. */
static const struct annotation_feature *find_same(const struct annotation *annotation,
						  const char *expression,
						  struct annotation_affine *ret)
{
	for (size_t i = 0; i < annotation->n_features; i++)
		if (annotation_feature_find(&annotation->features[i], expression, ret))
			return &annotation->features[i];
	return NULL;
}

static void reach(const struct annotation *annotation, const char *expression, double range[2])
{
	struct annotation_affine map = {.scale = 1};
	const struct annotation_feature *feature = find_same(annotation, expression, &map);

	if (!feature || !isfinite(feature->min) || !isfinite(feature->max))
		return;
	/* Of an affine name: its own values. */
	const double low = map.offset + map.scale * feature->min;
	const double high = map.offset + map.scale * feature->max;

	range[0] = fmin(range[0], fmin(low, high));
	range[1] = fmax(range[1], fmax(low, high));
}

static void set_arguments(const struct annotation *annotation, const char *expression, double at,
			  struct argument *ret)
{
	for (size_t i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];
		struct annotation_affine map = {.scale = 1};
		double number = (feature->min + feature->max) / 2;

		if (annotation_feature_find(feature, expression, &map))
			number = annotation_affine_back(&map, at);
		ret[i] = (struct argument){.known = isfinite(number), .number = number};
	}
}

static void draw_side(struct figure *figure, struct figure_series *series,
		      const struct annotation *annotation, const char *expression, unsigned group)
{
	struct arena *arena = figure->arena;
	struct argument *x = arena_array(arena, struct argument, annotation->n_features + 1);
	double *at = arena_array(arena, double, STEPS + 1);
	double *mean = arena_array(arena, double, STEPS + 1);
	double *low = arena_array(arena, double, STEPS + 1);
	double *high = arena_array(arena, double, STEPS + 1);
	struct annotation_list none = {0};
	size_t i, n = 0;

	for (i = 0; i <= STEPS; i++) {
		struct expectation expectation;
		struct err ignored;

		at[n] = figure_number(&figure->x, (double)i / STEPS);
		set_arguments(annotation, expression, at[n], x);
		if (!expectation_find_interval(annotation, &none, x, &expectation, &ignored) ||
		    !isfinite(expectation.low + expectation.high + expectation.mean) ||
		    (figure->y.is_log && !(expectation.mean > 0)))
			continue;
		mean[n] = expectation.mean;
		low[n] = expectation.low;
		high[n++] = expectation.high;
	}
	series[0] = (struct figure_series){
		.kind = FIGURE_BAND, .group = group, .x = at, .y = low, .y2 = high, .n = n};
	series[1] = (struct figure_series){.kind = FIGURE_CURVE,
					   .name = group ? "now" : "before",
					   .group = group,
					   .x = at,
					   .y = mean,
					   .n = n};
}

static void say_held(struct figure *figure, const struct annotation *annotation,
		     const char *expression)
{
	for (size_t i = 0; i < annotation->n_features; i++) {
		const struct annotation_feature *feature = &annotation->features[i];
		struct annotation_affine map;

		if (annotation_feature_find(feature, expression, &map) || !isfinite(feature->min))
			continue;
		figure->caption = arena_printf(figure->arena, "%s%s%s = %.4g",
					       figure->caption ? figure->caption : "at ",
					       figure->caption ? ", " : "", feature->name,
					       (feature->min + feature->max) / 2);
	}
}

bool figure_compare_add(struct figure *figure, const struct annotation *before)
{
	const size_t n = figure->n_series;
	struct figure_series *all = arena_array(figure->arena, struct figure_series, n + 1), two[2];
	struct annotation_affine map;
	unsigned group = 0;

	if (figure->x.labels || !find_same(before, figure->x.title, &map))
		return false;
	draw_side(figure, two, before, figure->x.title, 0);
	for (size_t i = 0; i < n; i++) {
		all[i] = figure->series[i];
		group = all[i].group >= group ? all[i].group + 1 : group;
	}
	all[n] = two[1];
	all[n].group = group;
	figure->series = all;
	figure->n_series += all[n].n > 0;
	if (all[n].n)
		say_held(figure, before, figure->x.title);
	return all[n].n > 0;
}

static void set_axes(struct figure *figure, const struct figure_series *series, size_t n)
{
	const struct draw_view all = figure_draw_view(false, NAN, NAN);
	double *ends = arena_array(figure->arena, double, 2 * n * (STEPS + 1) + 1);
	size_t i, j, n_ends = 0;

	for (i = 0; i < n; i++)
		for (j = 0; j < series[i].n; j++) {
			ends[n_ends++] = series[i].y[j];
			if (series[i].y2)
				ends[n_ends++] = series[i].y2[j];
		}
	figure_draw_span(&figure->y, &all, ends, n_ends);
}

static struct figure *draw(struct figure *figure, const struct annotation *old,
			   const struct annotation *now, const char *expression)
{
	struct figure_series *series = arena_array(figure->arena, struct figure_series, 4);
	struct figure_series both[2][2];

	draw_side(figure, both[0], old, expression, 0);
	draw_side(figure, both[1], now, expression, 1);
	if (!both[0][0].n || !both[1][0].n)
		return NULL;
	for (unsigned i = 0; i < 4; i++)
		series[i] = both[i % 2][i / 2]; /* bands below curves */
	set_axes(figure, series, 4);
	figure->series = series;
	figure->n_series = 4;
	say_held(figure, old, expression);
	return figure;
}

struct figure *figure_compare(const struct annotation *old, const struct annotation *now)
{
	const struct annotation *used = old->n_features ? old : now;
	const struct metric_info *info = metric_info(old->metric);
	double range[2] = {INFINITY, -INFINITY};
	struct arena *arena;
	struct figure *figure;
	const char *expression;

	if (!used->n_features)
		return NULL;
	expression = used->features[0].expression;
	reach(old, expression, range);
	reach(now, expression, range);
	if (!(range[0] < range[1]))
		return NULL;
	arena = arena_create();
	figure = arena_new(arena, struct figure);
	figure->arena = arena;
	figure->title = quote_head(arena, now->function, now->metric);
	figure->x = (struct figure_axis){.title = expression, .low = range[0], .high = range[1]};
	figure->y = (struct figure_axis){.title = info->keyword, .unit = info->unit_text};
	if (!draw(figure, old, now, expression)) {
		figure_destroy(figure);
		return NULL;
	}
	return figure;
}
