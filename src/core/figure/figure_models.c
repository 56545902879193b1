/*
 * Curves of models over one feature, and the intervals around them. figure_dots.c draws the points.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "figure_draw.h"

enum { STEPS = 200 };

/*
 * How far the curve of a case with a single place extends: around a name, and as a share of the
 * axis.
 */
#define AROUND_NAME 0.4
#define AROUND_PART 0.02

static struct value curve_argument(const struct study *study, const size_t *features, size_t i,
				   size_t point)
{
	if (features[i] == study->n_features)
		return (struct value){0, ABSENT_NOT_MEASURED};
	return study_value(study, features[i], point);
}

/* The study's feature for each of the annotation's; n_features: none. */
static size_t *curve_find_features(const struct study *study)
{
	const size_t n = study->annotation->n_features;
	size_t *features = mem_alloc((n + 1) * sizeof(*features));
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < study->n_features; j++)
			if (study->features[j].in_annotation == i)
				break;
		features[i] = j;
	}
	return features;
}

/* The median of the annotation's feature @i among the case's points. */
static double median_of(const struct study *study, const size_t *features, size_t i, unsigned in,
			double *room)
{
	size_t n = 0;
	size_t point;

	for (point = 0; point < study->n_points; point++) {
		struct value value;

		if (study->cases[point] != in)
			continue;
		value = curve_argument(study, features, i, point);
		if (value.absence == PRESENT)
			room[n++] = value.number;
	}
	return figure_dots_quantile(room, n, 0.5);
}

static void curve_hold_features(const struct study *study, struct figure_models *models)
{
	const struct annotation *annotation = study->annotation;
	size_t *features = curve_find_features(study);
	double *room = mem_alloc((study->n_points + 1) * sizeof(*room));

	for (unsigned in = 0; in < annotation->n_cases; in++)
		for (size_t i = 0; i < annotation->n_features; i++)
			models->held[in * annotation->n_features + i] =
				i != models->own && annotation_case_uses(&annotation->cases[in], i)
					? median_of(study, features, i, in, room)
					: NAN;
	free(features);
	free(room);
}

void figure_models_init(struct figure_models *models, const struct drawing *drawing,
			unsigned feature, const struct figure_places *places)
{
	const struct annotation *annotation = drawing->study->annotation;

	*models = (struct figure_models){
		.feature = feature,
		.own = feature == STUDY_NONE ? STUDY_NONE
					     : drawing->study->features[feature].in_annotation,
		.places = places,
		.held = mem_alloc((annotation->n_cases * annotation->n_features + 1) *
				  sizeof(double)),
		.low = mem_alloc((annotation->n_cases + 1) * sizeof(double)),
		.high = mem_alloc((annotation->n_cases + 1) * sizeof(double)),
	};
	for (unsigned in = 0; in < annotation->n_cases; in++) {
		models->low[in] = INFINITY;
		models->high[in] = -INFINITY;
	}
	curve_hold_features(drawing->study, models);
}

void figure_models_deinit(struct figure_models *models)
{
	free(models->held);
	free(models->low);
	free(models->high);
}

void figure_models_reach(struct figure_models *models, const struct study *study,
			 const struct figure_dots *dots)
{
	for (size_t i = 0; i < dots->n; i++) {
		const unsigned in = study->cases[dots->points[i]];

		if (in == STUDY_NONE)
			continue;
		models->low[in] = fmin(models->low[in], dots->x[i]);
		models->high[in] = fmax(models->high[in], dots->x[i]);
	}
}

/* Over the order of calls only models that use no feature have a curve. */
static bool model_has_curve(const struct drawing *drawing, const struct figure_models *models,
			    unsigned in)
{
	const struct annotation *annotation = drawing->study->annotation;

	if (!(models->low[in] <= models->high[in]))
		return false;
	for (size_t i = 0; models->feature == STUDY_NONE && i < annotation->n_features; i++)
		if (annotation_case_uses(&annotation->cases[in], i))
			return false;
	return true;
}

/* "n = 12, m = 3"; NULL: nothing is fixed for the case. */
static const char *held_text(const struct drawing *drawing, const struct figure_models *models,
			     unsigned in)
{
	const struct annotation *annotation = drawing->study->annotation;
	const double *held = &models->held[in * annotation->n_features];
	const char *all = NULL;

	for (size_t i = 0; i < annotation->n_features; i++) {
		char text[FIGURE_TEXT];

		if (isnan(held[i]))
			continue;
		figure_text(held[i], text);
		all = arena_printf(drawing->arena, "%s%s%s = %s", all ? all : "", all ? ", " : "",
				   annotation->features[i].name, text);
	}
	return all;
}

void figure_models_say(struct drawing *drawing, const struct figure_models *models)
{
	const struct annotation *annotation = drawing->study->annotation;

	for (unsigned in = 0; in < annotation->n_cases; in++) {
		const char *held = model_has_curve(drawing, models, in)
					   ? held_text(drawing, models, in)
					   : NULL;

		if (held && annotation->cases[in].n_conditions)
			figure_draw_say(drawing, "curves of %s at %s",
					figure_draw_scope(drawing, in), held);
		else if (held)
			figure_draw_say(drawing, "curves at %s", held);
	}
}

/* The ends of a case's curve within the axis shown. */
static void reach_of(const struct drawing *drawing, const struct figure_models *models, unsigned in,
		     double *low, double *high)
{
	const struct figure_axis *axis = &drawing->figure->x;

	*low = figure_place(axis, models->low[in]);
	*high = figure_place(axis, models->high[in]);
	if (axis->labels) {
		*low = figure_place(axis, models->low[in] - AROUND_NAME);
		*high = figure_place(axis, models->high[in] + AROUND_NAME);
	} else if (models->low[in] == models->high[in]) {
		*low -= AROUND_PART;
		*high += AROUND_PART;
	}
	*low = fmax(*low, 0);
	*high = fmin(*high, 1);
}

/* One step of a curve: the model's values there. */
struct step {
	double x, mean, deviation;
};

static bool take_step(const struct drawing *drawing, const struct figure_models *models,
		      const struct model *model, double *arguments, struct step *step)
{
	double deviation;

	if (models->own != STUDY_NONE)
		arguments[models->own] = figure_places_number(models->places, step->x);
	step->mean = annotation_value(&model->mean, arguments);
	deviation = annotation_value(&model->deviation, arguments);
	step->deviation = isfinite(deviation) ? fmax(deviation, 0) : 0;
	return isfinite(step->mean) && isfinite(step->mean + 2 * step->deviation) &&
	       isfinite(step->mean - 2 * step->deviation) &&
	       figure_draw_has_room(&(struct draw_view){.is_log = drawing->figure->x.is_log},
				    step->x);
}

unsigned figure_models_steps(const struct drawing *drawing)
{
	const unsigned n = drawing->options.n_curve;

	return n ? (n > 1 ? n : 2) : STEPS;
}

/* Compute the steps of model @model of case @in; returns how many. */
static size_t curve_walk(const struct drawing *drawing, const struct figure_models *models,
			 unsigned in, unsigned model, struct step *steps)
{
	const struct annotation *annotation = drawing->study->annotation;
	const unsigned n = figure_models_steps(drawing);
	double *arguments = mem_alloc((annotation->n_features + 1) * sizeof(*arguments));
	double low, high;
	size_t found = 0;

	for (size_t i = 0; i < annotation->n_features; i++)
		arguments[i] = models->held[in * annotation->n_features + i];
	reach_of(drawing, models, in, &low, &high);
	for (size_t i = 0; i < n && low < high; i++) {
		steps[found].x =
			figure_number(&drawing->figure->x, low + (high - low) * i / (n - 1));
		if (take_step(drawing, models, &annotation->cases[in].models[model], arguments,
			      &steps[found]) &&
		    (!found || steps[found].x > steps[found - 1].x))
			found++;
	}
	free(arguments);
	return found;
}

/* The lowest possible cost: 0, unless some are below. */
static double least_of(const struct study *study)
{
	for (size_t i = 0; i < study->n_points; i++)
		if (study->costs[i] < 0)
			return -INFINITY;
	return 0;
}

/* The interval of a step; false: it is not on the axis. */
static bool interval_of(const struct drawing *drawing, enum draw_curve what,
			const struct step *step, double least, double *low, double *high)
{
	const struct figure_axis *axis = &drawing->figure->y;
	const double away = DRAW_DEVIATIONS * step->deviation;

	if (what == DRAW_LEFT) {
		*low = -away;
		*high = away;
		return true;
	}
	*low = fmax(step->mean - away, least);
	*high = fmax(step->mean + away, least);
	if (axis->is_log)
		*low = fmax(*low, fmin(axis->low, *high));
	return !axis->is_log || *high > 0;
}

static void draw_band(struct drawing *drawing, enum draw_curve what, unsigned group,
		      const struct step *steps, size_t n)
{
	double *x = arena_array(drawing->arena, double, n);
	double *low = arena_array(drawing->arena, double, n);
	double *high = arena_array(drawing->arena, double, n);
	const double least = least_of(drawing->study);
	struct figure_series *series;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		x[found] = steps[i].x;
		found += interval_of(drawing, what, &steps[i], least, &low[found], &high[found]);
	}
	if (!found)
		return;
	series = figure_draw_series(drawing, FIGURE_BAND, group);
	*series = (struct figure_series){
		.kind = FIGURE_BAND, .group = group, .x = x, .y = low, .y2 = high, .n = found};
}

static void draw_curve(struct drawing *drawing, enum draw_curve what, unsigned group,
		       const struct step *steps, size_t n)
{
	(void)what;

	double *x = arena_array(drawing->arena, double, n);
	double *y = arena_array(drawing->arena, double, n);
	struct figure_series *series;
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (drawing->figure->y.is_log && !(steps[i].mean > 0))
			continue;
		x[found] = steps[i].x;
		y[found++] = steps[i].mean;
	}
	if (!found)
		return;
	series = figure_draw_series(drawing, FIGURE_CURVE, group);
	series->x = x;
	series->y = y;
	series->n = found;
}

/* Draws the steps of a model. */
typedef void use_steps(struct drawing *drawing, enum draw_curve what, unsigned group,
		       const struct step *steps, size_t n);

static void walk_all(struct drawing *drawing, const struct figure_models *models,
		     enum draw_curve what, use_steps *use)
{
	const struct annotation *annotation = drawing->study->annotation;
	struct step *steps = mem_alloc((figure_models_steps(drawing) + 1) * sizeof(*steps));
	unsigned in, model;

	for (in = 0; in < annotation->n_cases; in++) {
		if (!model_has_curve(drawing, models, in))
			continue;
		for (model = 0; model < annotation->cases[in].n_models; model++)
			use(drawing, what, figure_draw_group(drawing, in, model), steps,
			    curve_walk(drawing, models, in, model, steps));
	}
	free(steps);
}

void figure_models_bands(struct drawing *drawing, const struct figure_models *models,
			 enum draw_curve what)
{
	walk_all(drawing, models, what, draw_band);
}

/* The expected residual is 0. */
static void curve_draw_zero(struct drawing *drawing)
{
	const double ends[2] = {drawing->figure->x.low, drawing->figure->x.high};
	struct figure_series *series = figure_draw_series(drawing, FIGURE_CURVE, 0);

	series->x = arena_copy(drawing->arena, ends, sizeof(ends));
	series->y = arena_array(drawing->arena, double, 2);
	series->n = 2;
}

void figure_models_curves(struct drawing *drawing, const struct figure_models *models,
			  enum draw_curve what)
{
	if (what == DRAW_LEFT)
		curve_draw_zero(drawing);
	else
		walk_all(drawing, models, what, draw_curve);
}
