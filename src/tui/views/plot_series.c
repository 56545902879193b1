/* Draws the data of a figure: points, curves, edges of bands and bars, on a canvas. */
#include <math.h>

#include "plot.h"

/* The part of a category's width that its points are spread over. */
#define SPREAD 0.7

struct ink plot_ink(const struct figure_series *series, bool has_groups)
{
	if (series->is_outside)
		return (struct ink){STYLE_WARNING, '?'};
	return (struct ink){STYLE_GROUP + series->group % STYLE_GROUPS,
			    has_groups ? (char)('a' + series->group % 26) : 0};
}

double plot_place_x(const struct figure *figure, const struct figure_series *series, size_t i)
{
	/* Constant for a call: a multiplicative hash of its number. */
	const uint32_t mixed = series->points ? (uint32_t)series->points[i] * 2654435769u : 0;
	const double aside = figure->x.labels ? SPREAD * (mixed / 4294967296.0 - 0.5) : 0;

	return figure_place(&figure->x, series->x[i] + aside);
}

bool plot_has_groups(const struct figure *figure)
{
	for (size_t i = 0; i < figure->n_series; i++)
		if (figure->series[i].group != figure->series[0].group ||
		    figure->series[i].is_outside != figure->series[0].is_outside)
			return true;
	return false;
}

/* Points to show: all, unless the scatter plot is restricted to a node. */
static bool series_is_shown(const struct opened_study *opened, const struct figure_series *series,
			    size_t i)
{
	return !opened->in_part || !series->points || opened->in_part[series->points[i]];
}

/* A curve is shown with the points of its case. */
static bool has_group_shown(const struct opened_study *opened, const struct figure *figure,
			    unsigned group)
{
	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		if (series->kind == FIGURE_POINTS && series->group == group && series->n > 0)
			return series_is_shown(opened, series, 0);
	}
	return true;
}

static void draw_points(struct canvas *canvas, const struct figure *figure,
			const struct figure_series *series, const struct opened_study *opened)
{
	const struct ink ink = plot_ink(series, plot_has_groups(figure));

	for (size_t i = 0; i < series->n; i++)
		if (series_is_shown(opened, series, i))
			canvas_point(canvas, plot_place_x(figure, series, i),
				     figure_place(&figure->y, series->y[i]), ink);
}

static void draw_segments(struct canvas *canvas, const struct figure *figure,
			  const struct figure_series *series)
{
	const struct ink ink = plot_ink(series, plot_has_groups(figure));

	for (size_t i = 0; i + 1 < series->n; i++) {
		const double x[2] = {figure_place(&figure->x, series->x[i]),
				     figure_place(&figure->x, series->x[i + 1])};
		const double y[2] = {figure_place(&figure->y, series->y[i]),
				     figure_place(&figure->y, series->y[i + 1])};

		if (series->kind == FIGURE_BAND) {
			const double y2[2] = {figure_place(&figure->y, series->y2[i]),
					      figure_place(&figure->y, series->y2[i + 1])};

			canvas_edge(canvas, x, y);
			canvas_edge(canvas, x, y2);
		} else {
			canvas_line(canvas, x, y, ink);
		}
	}
}

static void draw_bars(struct canvas *canvas, const struct figure *figure,
		      const struct figure_series *series)
{
	const struct ink ink = plot_ink(series, plot_has_groups(figure));

	for (size_t i = 0; i < series->n; i++) {
		const double x[2] = {figure_place(&figure->x, series->x[i]),
				     figure_place(&figure->x, series->x2[i])};

		canvas_bar(canvas, x, figure_place(&figure->y, series->y[i]), ink);
	}
}

/* A letter where a curve leaves the picture identifies it without colours. */
static void draw_letter(struct pane region, const struct figure *figure,
			const struct figure_series *series)
{
	const struct ink ink = plot_ink(series, true);

	for (size_t i = series->n; i-- > 0;) {
		const double x = figure_place(&figure->x, series->x[i]);
		const double y = figure_place(&figure->y, series->y[i]);

		if (x < 0 || x > 1 || y < 0 || y > 1)
			continue;
		screen_put(region, (unsigned)fmin(x * region.width, region.width - 1),
			   (unsigned)fmin((1 - y) * region.height, region.height - 1), ink.style,
			   (uint32_t)ink.letter);
		return;
	}
}

void plot_draw_series(const struct opened_study *opened, const struct figure *figure,
		      struct canvas *canvas)
{
	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		if (!series->is_outside && !has_group_shown(opened, figure, series->group))
			continue;
		switch (series->kind) {
		case FIGURE_POINTS:
			draw_points(canvas, figure, series, opened);
			break;
		case FIGURE_CURVE:
		case FIGURE_BAND:
			draw_segments(canvas, figure, series);
			break;
		case FIGURE_BARS:
			draw_bars(canvas, figure, series);
			break;
		}
	}
}

void plot_draw_letters(const struct opened_study *opened, const struct figure *figure,
		       struct pane region)
{
	if (!plot_has_groups(figure))
		return;
	for (size_t i = 0; i < figure->n_series; i++)
		if (figure->series[i].kind == FIGURE_CURVE &&
		    has_group_shown(opened, figure, figure->series[i].group))
			draw_letter(region, figure, &figure->series[i]);
}
