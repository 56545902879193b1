/* Points, and the level of each segment as a line. */
#include "figure_course.h"

#include <math.h>

#include "figure_draw.h"

static const struct label *make_labels(struct arena *arena, const struct figure_course *course)
{
	struct label *labels = arena_array(arena, struct label, course->n);

	for (size_t i = 0; i < course->n; i++)
		labels[i] = (struct label){.number = (double)i,
					   .name = arena_strdup(arena, course->names[i])};
	return labels;
}

struct figure *figure_course(const struct figure_course *course)
{
	const struct metric_info *info = metric_info(course->metric);
	const struct draw_view all = figure_draw_view(false, NAN, NAN);
	struct arena *arena = arena_create();
	struct figure *figure = arena_new(arena, struct figure);
	struct figure_series *series = arena_array(arena, struct figure_series, 2);
	double *x = arena_array(arena, double, course->n);

	for (size_t i = 0; i < course->n; i++)
		x[i] = (double)i;
	series[0] = (struct figure_series){
		.kind = FIGURE_POINTS,
		.x = x,
		.y = arena_copy(arena, course->costs, course->n * sizeof(double)),
		.n = course->n};
	series[1] = series[0];
	series[1].kind = FIGURE_CURVE;
	series[1].name = "level";
	series[1].y = arena_copy(arena, course->levels, course->n * sizeof(double));
	*figure = (struct figure){.arena = arena,
				  .title = arena_strdup(arena, course->title),
				  .series = series,
				  .n_series = 2};
	figure->x = (struct figure_axis){.title = course->x_title,
					 .low = -0.5,
					 .high = (double)course->n - 0.5,
					 .labels = make_labels(arena, course),
					 .n_labels = course->n};
	figure->y = (struct figure_axis){.title = info->keyword, .unit = info->unit_text};
	figure_draw_span(&figure->y, &all, course->costs, course->n);
	return figure;
}
