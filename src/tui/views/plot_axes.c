/*
 * Axes with round numbers, titles, the legend and the caption. plot_series.c draws what is inside.
 */
#include <math.h>
#include <stdlib.h>

#include "plot.h"

enum {
	TICKS = 64,
	TICK_WIDTH = 10,  /* columns for a number of the x axis */
	LABEL_MAX = 10,   /* columns of the numbers of the y axis */
	LABELS_FROM = 24, /* the y axis has numbers from this width on */
	TITLE_FROM = 6,   /* rows */
	NUMBERS_FROM = 4,
	X_TITLE_FROM = 10,
	LEGEND_FROM = 10,
	LEGEND_MAX = 3,
};

struct tick {
	double place; /* 0 to 1 */
	char number[FIGURE_TEXT];
	const char *label; /* a category's name; NULL: the number */
};

static const char *tick_text(const struct tick *tick)
{
	return tick->label ? tick->label : tick->number;
}

static size_t label_ticks(const struct figure_axis *axis, struct tick *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < axis->n_labels && n < TICKS; i++) {
		const double place = figure_place(axis, axis->labels[i].number);

		if (place >= 0 && place <= 1)
			ret[n++] = (struct tick){.place = place, .label = axis->labels[i].name};
	}
	return n;
}

static size_t find_ticks(const struct figure_axis *axis, size_t max, struct tick *ret)
{
	double numbers[TICKS];
	size_t n;

	if (axis->labels)
		return label_ticks(axis, ret);
	n = figure_ticks(axis, max < TICKS ? max : TICKS, numbers);
	for (size_t i = 0; i < n; i++) {
		ret[i] = (struct tick){.place = figure_place(axis, numbers[i])};
		figure_text(numbers[i], ret[i].number);
	}
	return n;
}

static unsigned widest(const struct tick *ticks, size_t n)
{
	unsigned ret = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned width = screen_width(tick_text(&ticks[i]));

		ret = ret > width ? ret : width;
	}
	return ret < LABEL_MAX ? ret : LABEL_MAX;
}

static unsigned axis_cell_of(double place, unsigned n)
{
	return (unsigned)fmin(fmax(place, 0) * n, n - 1);
}

/* @region: the numbers and the axis on their right, as high as the plot. */
static void draw_y(struct pane region, const struct tick *ticks, size_t n)
{
	const unsigned line = region.width - 1;

	for (unsigned y = 0; y < region.height; y++)
		screen_put(region, line, y, STYLE_DIM, 0x2502);
	for (size_t i = 0; i < n; i++) {
		const unsigned y = region.height - 1 - axis_cell_of(ticks[i].place, region.height);

		cell_text_right(region, 0, y, line, tick_text(&ticks[i]));
		screen_put(region, line, y, STYLE_DIM, 0x2524);
	}
}

/* @region: two rows below the plot. */
static void draw_x(struct pane region, const struct tick *ticks, size_t n)
{
	unsigned end = 0;

	for (unsigned x = 0; x < region.width; x++)
		screen_put(region, x, 0, STYLE_DIM, 0x2500);
	for (size_t i = 0; i < n; i++) {
		const unsigned x = axis_cell_of(ticks[i].place, region.width);
		const unsigned width = screen_width(tick_text(&ticks[i]));
		unsigned from = x > width / 2 ? x - width / 2 : 0;

		if (from + width > region.width)
			from = region.width > width ? region.width - width : 0;
		if (i > 0 && from < end + 1)
			continue;
		screen_put(region, x, 0, STYLE_DIM, 0x252c);
		cell_text_fit(region, from, 1, region.width - from, tick_text(&ticks[i]));
		end = from + width;
	}
}

/* "time (µs, log)"; the caller frees it. */
static char *title_text(const struct figure_axis *axis)
{
	const bool has_unit = axis->unit && *axis->unit;
	char *ret;

	if (asprintf(&ret, "%s%s%s%s%s%s", axis->title ? axis->title : "",
		     has_unit || axis->is_log ? " (" : "", has_unit ? axis->unit : "",
		     has_unit && axis->is_log ? ", " : "", axis->is_log ? "log" : "",
		     has_unit || axis->is_log ? ")" : "") < 0)
		return NULL;
	return ret;
}

/* The titles in a row; that of x too, if it has no row of its own. */
static void draw_titles(struct pane row, const struct figure *figure, bool with_x)
{
	char *y = title_text(&figure->y), *x = title_text(&figure->x), *both = NULL;

	if (y && x && with_x && asprintf(&both, "%s over %s", y, x) < 0)
		both = NULL;
	cell_text_fit(row, 0, 0, row.width, both ? both : y ? y : "");
	free(both);
	free(x);
	free(y);
}

static void draw_x_title(struct pane row, const struct figure_axis *axis)
{
	char *title = title_text(axis);
	const unsigned width = title ? screen_width(title) : 0;

	cell_text_fit(row, width < row.width ? (row.width - width) / 2 : 0, 0, row.width,
		      title ? title : "");
	free(title);
}

/* Draw the legend, or only count its rows if @region has no screen. */
static unsigned draw_legend(struct pane region, const struct figure *figure)
{
	const bool has_groups = plot_has_groups(figure);
	unsigned x = 0, y = 0;

	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];
		const struct ink ink = plot_ink(series, has_groups);
		const unsigned width = series->name ? screen_width(series->name) + 2 : 0;

		if (!series->name || !has_groups)
			continue;
		if (x > 0 && x + width > region.width) {
			x = 0;
			y++;
		}
		if (region.screen && y < region.height) {
			screen_put(region, x, y, ink.style, (uint32_t)ink.letter);
			cell_text_fit(region, x + 2, y, region.width - x - 2, series->name);
		}
		x += width + 2;
	}
	return x > 0 ? y + 1 : 0;
}

/* Legend and caption at the bottom; returns the rest. */
static struct pane draw_below(const struct figure *figure, struct pane region)
{
	const unsigned most = region.height / 5 < LEGEND_MAX ? region.height / 5 : LEGEND_MAX;
	unsigned n;

	if (region.height < LEGEND_FROM)
		return region;
	if (figure->caption) {
		const struct pane line = screen_part(region, 0, region.height - 1, region.width, 1);

		cell_text_fit(line, 0, 0, line.width, figure->caption);
		screen_style(line, 0, STYLE_DIM);
		region.height--;
	}
	n = draw_legend((struct pane){NULL, 0, 0, region.width, 0}, figure);
	n = n < most ? n : most;
	draw_legend(screen_part(region, 0, region.height - n, region.width, n), figure);
	region.height -= n;
	return region;
}

struct pane plot_draw_axes(const struct figure *figure, struct pane region)
{
	const struct pane rest = draw_below(figure, region);
	const bool has_titles = rest.height >= TITLE_FROM,
		   has_numbers = rest.height >= NUMBERS_FROM;
	const bool has_x_title = rest.height >= X_TITLE_FROM;
	const unsigned top = has_titles ? 1 : 0;
	const unsigned bottom = (has_numbers ? 2u : 0u) + (has_x_title ? 1u : 0u);
	const unsigned height = rest.height - top - bottom;
	struct tick ticks[TICKS];
	size_t n = find_ticks(&figure->y, height / 3 + 2, ticks);
	const unsigned left = rest.width >= LABELS_FROM ? widest(ticks, n) + 1 : 0;
	const struct pane inside = screen_part(rest, left, top, rest.width - left, height);

	if (has_titles)
		draw_titles(screen_part(rest, 0, 0, rest.width, 1), figure, !has_x_title);
	if (left > 0)
		draw_y(screen_part(rest, 0, top, left, height), ticks, n);
	if (has_numbers) {
		n = find_ticks(&figure->x, inside.width / TICK_WIDTH + 1, ticks);
		draw_x(screen_part(rest, left, top + height, inside.width, 2), ticks, n);
	}
	if (has_x_title)
		draw_x_title(screen_part(rest, left, top + height + 2, inside.width, 1),
			     &figure->x);
	return inside;
}
