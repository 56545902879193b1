/*
 * Scatters and residuals: chooses points and curves; figure_dots.c and figure_models.c draw them.
 */
#include "figure.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "figure_draw.h"

const struct figure_options figure_default = {
	.x_low = NAN,
	.x_high = NAN,
	.y_low = NAN,
	.y_high = NAN,
};

void figure_destroy(struct figure *figure)
{
	if (figure)
		arena_destroy(figure->arena);
}

/* A figure of points that is being made. */
struct scatter {
	struct drawing drawing;
	unsigned feature;
	enum draw_curve what;
	struct figure_places places;
	struct draw_view x, y;
	struct figure_dots dots;
	size_t n_absent, n_outside;
};

static void residuals_begin(struct scatter *scatter, const struct study *study, unsigned feature,
			    enum draw_curve what, const struct figure_options *options)
{
	*scatter =
		(struct scatter){.feature = feature, .dots = figure_dots_create(study->n_points)};
	figure_draw_begin(&scatter->drawing, study, options);
	if (feature != STUDY_NONE)
		scatter->places =
			figure_places_init(&scatter->drawing, feature, &scatter->drawing.figure->x);
	/* Names have no logarithm, and residuals have both signs. */
	scatter->what = what;
	scatter->x = figure_draw_view(options->log_x && !scatter->places.numbers, options->x_low,
				      options->x_high);
	scatter->y = figure_draw_view(options->log_y && what == DRAW_EXPECTED, options->y_low,
				      options->y_high);
}

/* Add the point at its value of the feature. */
static void add_over_feature(struct scatter *scatter, double y, size_t point)
{
	const struct value value = study_value(scatter->drawing.study, scatter->feature, point);

	if (value.absence == PRESENT)
		figure_dots_add(&scatter->dots, figure_places_place(&scatter->places, value.number),
				y, point);
	else
		scatter->n_absent++;
}

static void say_left_out(struct scatter *scatter)
{
	struct drawing *drawing = &scatter->drawing;

	if (!drawing->study->n_points)
		figure_draw_say(drawing, "no call has a %s",
				metric_info(drawing->study->metric)->keyword);
	else if (scatter->n_absent == drawing->study->n_points)
		figure_draw_say(drawing, "no call has %s", drawing->figure->x.title);
	else if (scatter->n_absent)
		figure_draw_say(drawing, "%zu %s without %s", scatter->n_absent,
				figure_dots_calls_word(scatter->n_absent),
				drawing->figure->x.title);
	if (scatter->n_outside)
		figure_draw_say(drawing, "%zu %s of no case", scatter->n_outside,
				figure_dots_calls_word(scatter->n_outside));
}

static void set_axes(struct scatter *scatter)
{
	struct figure *figure = scatter->drawing.figure;
	struct figure_dots *dots = &scatter->dots;

	/* Names have whole places with a margin. */
	if (scatter->places.numbers)
		figure_draw_ends(&figure->x, &scatter->x, -0.5, fmax(scatter->places.n, 1) - 0.5);
	else
		figure_draw_span(&figure->x, &scatter->x, dots->x, dots->n);
	figure_draw_span(&figure->y, &scatter->y, dots->y, dots->n);
	figure_dots_warn(&scatter->drawing, &figure->x, dots->x, dots->n);
	figure_dots_warn(&scatter->drawing, &figure->y, dots->y, dots->n);
}

/* Draw what has been added. */
static struct figure *residuals_end(struct scatter *scatter)
{
	struct drawing *drawing = &scatter->drawing;
	struct figure_models models;

	say_left_out(scatter);
	figure_models_init(&models, drawing, scatter->feature, &scatter->places);
	figure_models_reach(&models, drawing->study, &scatter->dots);
	figure_dots_choose(drawing, &scatter->x, &scatter->y, &scatter->dots);
	set_axes(scatter);
	figure_models_bands(drawing, &models, scatter->what);
	figure_dots_draw(drawing, &scatter->dots);
	figure_models_curves(drawing, &models, scatter->what);
	figure_models_say(drawing, &models);
	figure_models_deinit(&models);
	figure_places_deinit(&scatter->places);
	figure_dots_deinit(&scatter->dots);
	return figure_draw_end(drawing);
}

/* A point, with its key in the order of calls. */
struct turn {
	struct sample_key key;
	size_t point;
};

static int compare_turns(const void *a, const void *b)
{
	const struct turn *left = a;
	const struct turn *right = b;

	if (left->key.run != right->key.run)
		return left->key.run < right->key.run ? -1 : 1;
	if (left->key.start_ns != right->key.start_ns)
		return left->key.start_ns < right->key.start_ns ? -1 : 1;
	if (left->key.id != right->key.id)
		return left->key.id < right->key.id ? -1 : 1;
	return (left->point > right->point) - (left->point < right->point);
}

/* Add all points in the order in which their calls started, from 1. */
static void add_in_order(struct scatter *scatter)
{
	const struct study *study = scatter->drawing.study;
	struct turn *turns = mem_alloc((study->n_points + 1) * sizeof(*turns));
	size_t i;

	for (i = 0; i < study->n_points; i++)
		turns[i] = (struct turn){study->samples->keys[study->rows[i]], i};
	qsort(turns, study->n_points, sizeof(*turns), compare_turns);
	for (i = 0; i < study->n_points; i++)
		figure_dots_add(&scatter->dots, i + 1, study->costs[turns[i].point],
				turns[i].point);
	free(turns);
}

struct figure *figure_scatter(const struct study *study, unsigned feature,
			      const struct figure_options *options)
{
	const struct metric_info *metric = metric_info(study->metric);
	struct scatter scatter;
	size_t i;

	residuals_begin(&scatter, study, feature, DRAW_EXPECTED, options);
	scatter.drawing.figure->y.title = metric->keyword;
	scatter.drawing.figure->y.unit = *metric->unit_text ? metric->unit_text : NULL;
	if (feature == STUDY_NONE) {
		scatter.drawing.figure->x.title = "calls in their order";
		add_in_order(&scatter);
	} else {
		for (i = 0; i < study->n_points; i++)
			add_over_feature(&scatter, study->costs[i], i);
	}
	return residuals_end(&scatter);
}

struct figure *figure_residuals(const struct study *study, unsigned feature,
				const struct figure_options *options)
{
	const struct metric_info *metric = metric_info(study->metric);
	struct scatter scatter;
	struct figure *figure;
	size_t i;

	residuals_begin(&scatter, study, feature, DRAW_LEFT, options);
	figure = scatter.drawing.figure;
	figure->title = arena_printf(figure->arena, "%s: cost - expected", figure->title);
	figure->y.title = arena_printf(figure->arena, "%s - expected", metric->keyword);
	figure->y.unit = *metric->unit_text ? metric->unit_text : NULL;
	if (feature == STUDY_NONE) {
		figure->x.title = "expected";
		figure->x.unit = figure->y.unit;
	}
	for (i = 0; i < study->n_points; i++) {
		const double left = study->costs[i] - study->expected[i];

		if (study->cases[i] == STUDY_NONE || !isfinite(left))
			scatter.n_outside++;
		else if (feature == STUDY_NONE)
			figure_dots_add(&scatter.dots, study->expected[i], left, i);
		else
			add_over_feature(&scatter, left, i);
	}
	return residuals_end(&scatter);
}
