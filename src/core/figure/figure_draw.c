/* Beginning and ending figures: captions, series, groups, the range of axes. */
#include "figure_draw.h"
#include "core/annotation/quote_head.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The margin at either end, as a share of the axis; the margin around a single number. */
#define ROOM   0.04
#define AROUND 0.1
/* Rounding would lose smaller ranges. */
#define SPAN_MIN (16 * DBL_MIN)

static size_t count_models(const struct annotation *annotation)
{
	size_t n = 0;

	for (size_t i = 0; i < annotation->n_cases; i++)
		n += annotation->cases[i].n_models;
	return n;
}

void figure_draw_begin(struct drawing *drawing, const struct study *study,
		       const struct figure_options *options)
{
	struct arena *arena = arena_create();

	*drawing = (struct drawing){.study = study,
				    .options = *options,
				    .arena = arena,
				    .figure = arena_new(arena, struct figure),
				    .n_groups = count_models(study->annotation)};
	drawing->figure->arena = arena;
	drawing->figure->title = quote_head(arena, study->annotation->function, study->metric);
	/* A band, points and a curve per group, those of no group, and far ones. */
	drawing->series = arena_array(arena, struct figure_series, 3 * (drawing->n_groups + 2));
	drawing->figure->series = drawing->series;
	drawing->caption = open_memstream(&drawing->text, &drawing->text_size);
}

/* The model that most calls of the likeliest case follow. */
static const struct model *draw_main_model(const struct annotation *annotation,
					   const struct annotation_case **ret)
{
	const struct model *main = NULL;

	for (size_t i = 0; i < annotation->n_cases; i++)
		for (size_t j = 0; j < annotation->cases[i].n_models; j++) {
			const struct model *model = &annotation->cases[i].models[j];

			if (main && model->n_samples <= main->n_samples)
				continue;
			main = model;
			*ret = &annotation->cases[i];
		}
	return main;
}

static const char *draw_formula(const struct drawing *drawing)
{
	const struct annotation *annotation = drawing->study->annotation;
	const struct annotation_case *in;
	const struct model *model = draw_main_model(annotation, &in);
	char *text = NULL;
	const char *ret;
	size_t size;
	FILE *out = model ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	annotation_print_scope(annotation, in, out);
	annotation_print_formula(annotation, &model->mean, out);
	if (isfinite(model->r2))
		fprintf(out, ", R² %.3f", model->r2);
	if (drawing->n_groups > 1)
		fprintf(out, " (1 of %zu)", drawing->n_groups);
	fclose(out);
	ret = arena_strdup(drawing->arena, text);
	free(text);
	return ret;
}

struct figure *figure_draw_end(struct drawing *drawing)
{
	if (drawing->caption)
		fclose(drawing->caption);
	if (drawing->text && *drawing->text)
		drawing->figure->caption = arena_strdup(drawing->arena, drawing->text);
	free(drawing->text);
	drawing->figure->formula = draw_formula(drawing);
	return drawing->figure;
}

void figure_draw_say(struct drawing *drawing, const char *fmt, ...)
{
	va_list args;

	if (!drawing->caption)
		return;
	if (ftell(drawing->caption) > 0)
		fputs("; ", drawing->caption);
	va_start(args, fmt);
	vfprintf(drawing->caption, fmt, args);
	va_end(args);
}

struct figure_series *figure_draw_series(struct drawing *drawing, enum figure_kind kind,
					 unsigned group)
{
	struct figure_series *series = &drawing->series[drawing->figure->n_series++];

	series->kind = kind;
	series->group = group;
	return series;
}

unsigned figure_draw_group(const struct drawing *drawing, unsigned in, unsigned model)
{
	const struct annotation *annotation = drawing->study->annotation;
	unsigned group = 0;

	if (in == STUDY_NONE)
		return drawing->n_groups;
	for (unsigned i = 0; i < in; i++)
		group += annotation->cases[i].n_models;
	return group + model;
}

const char *figure_draw_scope(const struct drawing *drawing, unsigned in)
{
	const struct annotation_case *one = &drawing->study->annotation->cases[in];
	char *text = NULL;
	const char *scope;
	size_t size;
	FILE *out;

	if (!one->n_conditions)
		return "calls";
	out = open_memstream(&text, &size);
	if (!out)
		return "calls";
	annotation_print_scope(drawing->study->annotation, one, out);
	fclose(out);
	/* Without the brackets. */
	scope = size > 3 ? arena_printf(drawing->arena, "%.*s", (int)(size - 3), text + 1)
			 : "calls";
	free(text);
	return scope;
}

const char *figure_draw_name(const struct drawing *drawing, unsigned in, unsigned model)
{
	const struct annotation_case *one = &drawing->study->annotation->cases[in];
	const double percent = 100 * one->models[model].probability;

	if (one->n_models == 1)
		return figure_draw_scope(drawing, in);
	if (one->n_conditions)
		return arena_printf(drawing->arena, "%s: %.3g %%", figure_draw_scope(drawing, in),
				    percent);
	return arena_printf(drawing->arena, "%.3g %% of the calls", percent);
}

bool figure_draw_has_room(const struct draw_view *view, double number)
{
	return !view->is_log || number > 0;
}

/* Add a margin to the ends of a logarithmic axis. */
static void widen_log(double *low, double *high)
{
	const double by = fmax(ROOM * log10(*high / *low), *low < *high ? 0 : AROUND);

	*low = fmax(*low / pow(10, by), DBL_TRUE_MIN);
	*high = fmin(*high * pow(10, by), DBL_MAX);
	if (!(*low < *high))
		*high = 10 * *low;
}

static void axis_widen(double *low, double *high)
{
	double by = ROOM * *high - ROOM * *low;
	const bool is_positive = *low >= 0;

	if (!(*low < *high))
		by = *low != 0 ? AROUND * fabs(*low) : 1;
	by = fmax(by, SPAN_MIN);
	*low = fmax(*low - by, -DBL_MAX);
	*high = fmin(*high + by, DBL_MAX);
	if (is_positive)
		*low = fmax(*low, 0);
}

static bool is_wide_enough(double low, double high, bool is_log)
{
	return low < high && (is_log || high / 2 - low / 2 >= SPAN_MIN);
}

struct draw_view figure_draw_view(bool is_log, double low, double high)
{
	struct draw_view view = {is_log, low, high};

	if (!isfinite(low) || !figure_draw_has_room(&view, low))
		view.low = NAN;
	if (!isfinite(high) || !figure_draw_has_room(&view, high))
		view.high = NAN;
	if (!isnan(view.low) && !isnan(view.high) && !is_wide_enough(view.low, view.high, is_log))
		view.low = view.high = NAN;
	return view;
}

/* The other end of an axis with one requested end that all numbers are beyond. */
static double end_beyond(double end, bool is_log, bool above)
{
	const double by = fmax(AROUND * fabs(end), 1);

	if (is_log)
		return above ? fmin(end * 10, DBL_MAX) : end / 10;
	return above ? fmin(end + by, DBL_MAX) : fmax(end - by, -DBL_MAX);
}

void figure_draw_ends(struct figure_axis *axis, const struct draw_view *view, double low,
		      double high)
{
	axis->is_log = view->is_log;
	axis->low = isnan(view->low) ? low : view->low;
	axis->high = isnan(view->high) ? high : view->high;
	if (is_wide_enough(axis->low, axis->high, view->is_log))
		return;
	if (isnan(view->low))
		axis->low = end_beyond(axis->high, view->is_log, false);
	else
		axis->high = end_beyond(axis->low, view->is_log, true);
	if (is_wide_enough(axis->low, axis->high, view->is_log) &&
	    figure_draw_has_room(view, axis->low))
		return;
	axis->low = low;
	axis->high = high;
}

void figure_draw_span(struct figure_axis *axis, const struct draw_view *view, const double *numbers,
		      size_t n)
{
	double low = INFINITY;
	double high = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		if (!figure_draw_has_room(view, numbers[i]))
			continue;
		low = fmin(low, numbers[i]);
		high = fmax(high, numbers[i]);
	}
	if (!(low <= high)) {
		low = view->is_log ? 1 : 0;
		high = view->is_log ? 10 : 1;
	} else if (view->is_log) {
		widen_log(&low, &high);
	} else {
		axis_widen(&low, &high);
	}
	figure_draw_ends(axis, view, low, high);
}
