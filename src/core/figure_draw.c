/* Beginning and ending figures: captions, series, groups, the span of axes. */
#include "core/figure_draw.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The part of an axis that is left free at either end, and what one number has to either side. */
#define ROOM   0.04
#define AROUND 0.1
/* Less than that between the ends is lost in rounding. */
#define SPAN_MIN (16 * DBL_MIN)

static size_t count_models(const struct annotation *annotation)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < annotation->n_cases; i++)
		n += annotation->cases[i].n_models;
	return n;
}

void draw_begin(struct drawing *drawing, const struct study *study,
		const struct figure_options *options)
{
	struct arena *arena = arena_create();

	*drawing = (struct drawing){.study = study,
				    .options = *options,
				    .arena = arena,
				    .figure = arena_new(arena, struct figure),
				    .n_groups = count_models(study->annotation)};
	drawing->figure->arena = arena;
	drawing->figure->title = arena_printf(arena, "%s.%s", study->annotation->function,
					      metric_info(study->metric)->keyword);
	/* A band, points and a curve of each group, and what is of none. */
	drawing->series = arena_array(arena, struct figure_series, 3 * (drawing->n_groups + 1));
	drawing->figure->series = drawing->series;
	drawing->caption = open_memstream(&drawing->text, &drawing->text_size);
}

struct figure *draw_end(struct drawing *drawing)
{
	if (drawing->caption)
		fclose(drawing->caption);
	if (drawing->text && *drawing->text)
		drawing->figure->caption = arena_strdup(drawing->arena, drawing->text);
	free(drawing->text);
	return drawing->figure;
}

void draw_say(struct drawing *drawing, const char *fmt, ...)
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

struct figure_series *draw_series(struct drawing *drawing, enum figure_kind kind, unsigned group)
{
	struct figure_series *series = &drawing->series[drawing->figure->n_series++];

	series->kind = kind;
	series->group = group;
	return series;
}

unsigned draw_group(const struct drawing *drawing, unsigned in, unsigned model)
{
	const struct annotation *annotation = drawing->study->annotation;
	unsigned group = 0;
	unsigned i;

	if (in == STUDY_NONE)
		return drawing->n_groups;
	for (i = 0; i < in; i++)
		group += annotation->cases[i].n_models;
	return group + model;
}

const char *draw_scope(const struct drawing *drawing, unsigned in)
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
	scope_print(drawing->study->annotation, one, out);
	fclose(out);
	/* Without its brackets. */
	scope = size > 3 ? arena_printf(drawing->arena, "%.*s", (int)(size - 3), text + 1)
			 : "calls";
	free(text);
	return scope;
}

const char *draw_name(const struct drawing *drawing, unsigned in, unsigned model)
{
	const struct annotation_case *one = &drawing->study->annotation->cases[in];
	const double percent = 100 * one->models[model].probability;

	if (one->n_models == 1)
		return draw_scope(drawing, in);
	if (one->n_conditions)
		return arena_printf(drawing->arena, "%s: %.3g %%", draw_scope(drawing, in),
				    percent);
	return arena_printf(drawing->arena, "%.3g %% of the calls", percent);
}

bool draw_has_room(const struct draw_view *view, double number)
{
	return !view->is_log || number > 0;
}

/* Give the ends of a logarithmic axis room, then of a linear one. */
static void widen_log(double *low, double *high)
{
	const double by = fmax(ROOM * log10(*high / *low), *low < *high ? 0 : AROUND);

	*low = fmax(*low / pow(10, by), DBL_TRUE_MIN);
	*high = fmin(*high * pow(10, by), DBL_MAX);
}

static void widen(double *low, double *high)
{
	double by = ROOM * *high - ROOM * *low;
	const bool is_positive = *low >= 0;

	if (!(*low < *high))
		by = *low != 0 ? fmax(AROUND * fabs(*low), SPAN_MIN) : 1;
	*low = fmax(*low - by, -DBL_MAX);
	*high = fmin(*high + by, DBL_MAX);
	if (is_positive)
		*low = fmax(*low, 0);
}

/* Ends that a view asks for stay, unless they leave nothing between them. */
static void set_ends(struct figure_axis *axis, const struct draw_view *view, double low,
		     double high)
{
	const bool has_low = isfinite(view->low) && draw_has_room(view, view->low);
	const bool has_high = isfinite(view->high) && draw_has_room(view, view->high);

	axis->low = has_low ? view->low : low;
	axis->high = has_high ? view->high : high;
	if (axis->high / 2 - axis->low / 2 >= SPAN_MIN)
		return;
	if (has_low && !has_high)
		axis->high = axis->low + fmax(AROUND * fabs(axis->low), 1);
	else if (has_high && !has_low && !view->is_log)
		axis->low = axis->high - fmax(AROUND * fabs(axis->high), 1);
	else if (has_high && !has_low)
		axis->low = axis->high / 10;
	if (axis->low < axis->high && axis->high / 2 - axis->low / 2 >= SPAN_MIN)
		return;
	axis->low = low;
	axis->high = high;
	if (!(axis->high / 2 - axis->low / 2 >= SPAN_MIN))
		axis->high = axis->low + 4 * SPAN_MIN;
}

void draw_span(struct figure_axis *axis, const struct draw_view *view, const double *numbers,
	       size_t n)
{
	double low = INFINITY;
	double high = -INFINITY;
	size_t i;

	axis->is_log = view->is_log;
	for (i = 0; i < n; i++) {
		if (!draw_has_room(view, numbers[i]))
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
		widen(&low, &high);
	}
	set_ends(axis, view, low, high);
}
