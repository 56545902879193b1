/* Points, curves, bands and bars as paths; svg.c draws the frame, figure.css has the colours. */
#include "svg_marks.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "xml.h"

/* Number of different looks of groups; then they repeat. */
enum { LOOKS = 8, KEY_WIDTH = 28, KEY_HEIGHT = 14 };

/*
 * What follows a point's coordinates. The first two are very short lines, whose round and square
 * caps the style sheet makes visible: the shortest form of a point. (PDF does not paint square caps
 * of empty lines.)
 */
static const char *const shapes[LOOKS] = {
	"h0",
	"h.1",
	"m0-3.4l3 5.2h-6z",
	"m0-3.4l3.4 3.4-3.4 3.4-3.4-3.4z",
	"m-3 0h6m-3-3v6",
	"m-2.5-2.5l5 5m0-5l-5 5",
	"m0 3.4l3-5.2h-6z",
	"m-2.5-2.5h5v5h-5z",
};
static const char outside_shape[] = "m-2-2l4 4m0-4l-4 4";

double svg_marks_x(const struct svg_area *area, const struct figure_axis *axis, double number)
{
	return area->width * figure_place(axis, number);
}

double svg_marks_y(const struct svg_area *area, const struct figure_axis *axis, double number)
{
	return area->height * (1 - figure_place(axis, number));
}

static void print_at(char command, double x, double y, FILE *out)
{
	fputc(command, out);
	xml_print_px(x, out);
	fputc(' ', out);
	xml_print_px(y, out);
}

/* @kind is p, c, b or h: the style sheet has a class for it and each look. */
static void begin_path(const struct figure_series *series, char kind, FILE *out)
{
	if (series->is_outside)
		fprintf(out, "<path class=\"%c out\" d=\"", kind);
	else
		fprintf(out, "<path class=\"%c %c%u\" d=\"", kind, kind, series->group % LOOKS);
}

static void end_path(FILE *out)
{
	fputs("\"/>\n", out);
}

static const char *shape_of(const struct figure_series *series)
{
	return series->is_outside ? outside_shape : shapes[series->group % LOOKS];
}

/* Half pixels with a point: a second one would be invisible. */
struct taken {
	size_t columns, rows;
	unsigned char *bits;
};

static bool mark_take(struct taken *taken, double x, double y)
{
	const double column = floor(2 * x);
	const double row = floor(2 * y);
	size_t place;

	if (!(column >= 0 && column < taken->columns && row >= 0 && row < taken->rows))
		return false;
	place = (size_t)row * taken->columns + (size_t)column;
	if (taken->bits[place / 8] & 1u << place % 8)
		return false;
	taken->bits[place / 8] |= 1u << place % 8;
	return true;
}

static void print_points(const struct svg_area *area, const struct figure *figure,
			 const struct figure_series *series, FILE *out)
{
	struct taken taken = {2 * (size_t)area->width + 2, 2 * (size_t)area->height + 2, NULL};

	taken.bits = mem_alloc(taken.columns * taken.rows / 8 + 1);
	begin_path(series, 'p', out);
	for (size_t i = 0; i < series->n; i++) {
		const double x = svg_marks_x(area, &figure->x, series->x[i]);
		const double y = svg_marks_y(area, &figure->y, series->y[i]);

		if (!mark_take(&taken, x, y))
			continue;
		print_at('M', x, y, out);
		fputs(shape_of(series), out);
	}
	end_path(out);
	free(taken.bits);
}

/* Clamp far outside the area, where only the direction of a line counts. */
static double near_area(double y, const struct svg_area *area)
{
	return fmax(-9 * area->height, fmin(10 * area->height, y));
}

static void mark_print_line(const struct svg_area *area, const struct figure *figure,
			    const struct figure_series *series, FILE *out)
{
	for (size_t i = 0; i < series->n; i++)
		print_at(i ? 'L' : 'M', svg_marks_x(area, &figure->x, series->x[i]),
			 near_area(svg_marks_y(area, &figure->y, series->y[i]), area), out);
}

static void print_curve(const struct svg_area *area, const struct figure *figure,
			const struct figure_series *series, FILE *out)
{
	begin_path(series, 'c', out);
	mark_print_line(area, figure, series, out);
	end_path(out);
}

static void print_band(const struct svg_area *area, const struct figure *figure,
		       const struct figure_series *series, FILE *out)
{
	begin_path(series, 'b', out);
	mark_print_line(area, figure, series, out);
	for (size_t i = series->n; i-- > 0;)
		print_at('L', svg_marks_x(area, &figure->x, series->x[i]),
			 near_area(svg_marks_y(area, &figure->y, series->y2[i]), area), out);
	fputs("Z", out);
	end_path(out);
}

/* A logarithmic axis has no 0 for bars to start at. */
static void print_bars(const struct svg_area *area, const struct figure *figure,
		       const struct figure_series *series, FILE *out)
{
	const double bottom = figure->y.is_log ? area->height : svg_marks_y(area, &figure->y, 0);

	begin_path(series, 'h', out);
	for (size_t i = 0; i < series->n; i++) {
		if (figure->y.is_log && !(series->y[i] > 0))
			continue;
		print_at('M', svg_marks_x(area, &figure->x, series->x[i]), bottom, out);
		fputc('V', out);
		xml_print_px(near_area(svg_marks_y(area, &figure->y, series->y[i]), area), out);
		fputc('H', out);
		xml_print_px(svg_marks_x(area, &figure->x, series->x2[i]), out);
		fputc('V', out);
		xml_print_px(bottom, out);
		fputc('z', out);
	}
	end_path(out);
}

void svg_marks_print(const struct svg_area *area, const struct figure *figure,
		     const struct figure_series *series, FILE *out)
{
	if (!series->n)
		return;
	switch (series->kind) {
	case FIGURE_POINTS:
		print_points(area, figure, series, out);
		break;
	case FIGURE_CURVE:
		print_curve(area, figure, series, out);
		break;
	case FIGURE_BAND:
		print_band(area, figure, series, out);
		break;
	case FIGURE_BARS:
		print_bars(area, figure, series, out);
		break;
	}
}

void svg_marks_key(const struct figure_series *series, double x, double y, FILE *out)
{
	switch (series->kind) {
	case FIGURE_POINTS:
		begin_path(series, 'p', out);
		print_at('M', x + KEY_WIDTH / 2.0, y + KEY_HEIGHT / 2.0, out);
		fputs(shape_of(series), out);
		break;
	case FIGURE_CURVE:
		begin_path(series, 'c', out);
		print_at('M', x, y + KEY_HEIGHT / 2.0, out);
		fprintf(out, "h%d", KEY_WIDTH);
		break;
	case FIGURE_BAND:
	case FIGURE_BARS:
		begin_path(series, series->kind == FIGURE_BAND ? 'b' : 'h', out);
		print_at('M', x, y, out);
		fprintf(out, "h%dv%dh-%dz", KEY_WIDTH, KEY_HEIGHT, KEY_WIDTH);
		break;
	}
	end_path(out);
}
