/* Dots in cells; plot_series.c decides what they mean. */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/size.h"

enum { DOTS_X = 2, DOTS_Y = 4, EIGHTHS = 8, BRAILLE = 0x2800, SHADE = 0x2591, BLOCKS = 0x2580 };

struct canvas_cell {
	uint8_t points, curve; /* bits of Braille */
	uint8_t point_style, curve_style, bar_style;
	uint8_t bar; /* in eighths of the cell */
	char point_letter, slope;
	bool has_edge;
	unsigned n; /* points */
};

void canvas_init(struct canvas *canvas, struct pane region, bool with_letters)
{
	const size_t n = (size_t)region.width * region.height;

	*canvas = (struct canvas){region, mem_alloc(size_product(n, sizeof(struct canvas_cell))),
				  with_letters || region.screen->is_ascii};
}

void canvas_deinit(struct canvas *canvas)
{
	free(canvas->cells);
	canvas->cells = NULL;
}

static bool canvas_is_inside(double place)
{
	return place >= 0 && place <= 1;
}

static unsigned dot_of(double place, unsigned n)
{
	const double dot = floor(place * n);

	return dot < n ? (unsigned)dot : n - 1;
}

/* The cell of a dot (from the top left corner), and the dot's bit in it. */
static struct canvas_cell *cell_of(const struct canvas *canvas, unsigned x, unsigned y,
				   uint8_t *ret_bit)
{
	static const uint8_t bits[DOTS_Y][DOTS_X] = {
		{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

	*ret_bit = bits[y % DOTS_Y][x % DOTS_X];
	return &canvas->cells[(size_t)(y / DOTS_Y) * canvas->region.width + x / DOTS_X];
}

static bool is_empty(const struct canvas *canvas)
{
	return canvas->region.width == 0 || canvas->region.height == 0;
}

static unsigned dots_x(const struct canvas *canvas)
{
	return canvas->region.width * DOTS_X;
}

static unsigned dots_y(const struct canvas *canvas)
{
	return canvas->region.height * DOTS_Y;
}

static struct canvas_cell *canvas_cell_at(const struct canvas *canvas, double x, double y,
					  uint8_t *ret_bit)
{
	return cell_of(canvas, dot_of(x, dots_x(canvas)),
		       dots_y(canvas) - 1 - dot_of(y, dots_y(canvas)), ret_bit);
}

void canvas_point(struct canvas *canvas, double x, double y, struct ink ink)
{
	struct canvas_cell *cell;
	uint8_t bit;

	if (is_empty(canvas) || !canvas_is_inside(x) || !canvas_is_inside(y))
		return;
	cell = canvas_cell_at(canvas, x, y, &bit);
	cell->points |= bit;
	cell->point_style = (uint8_t)ink.style;
	cell->point_letter = ink.letter;
	cell->n++;
}

/* Clip the part [t[0], t[1]] of a line from @from to @to to 0..1; false: nothing is left. */
static bool clip(double from, double to, double t[2])
{
	double enter, leave;

	if (from == to)
		return canvas_is_inside(from);
	enter = (0 - from) / (to - from);
	leave = (1 - from) / (to - from);
	t[0] = fmax(t[0], fmin(enter, leave));
	t[1] = fmin(t[1], fmax(enter, leave));
	return t[0] <= t[1];
}

static double between(const double ends[2], double t)
{
	return fmin(fmax(ends[0] + (ends[1] - ends[0]) * t, 0), 1);
}

static char slope_of(double dx, double dy)
{
	if (fabs(dy) < 0.4 * fabs(dx))
		return '-';
	if (fabs(dy) > 2.5 * fabs(dx))
		return '|';
	return (dx > 0) == (dy > 0) ? '/' : '\\';
}

/* Called for the cells along a line. */
typedef void (*mark_cell)(struct canvas_cell *cell, uint8_t bit, char slope, struct ink ink);

static void mark_curve(struct canvas_cell *cell, uint8_t bit, char slope, struct ink ink)
{
	cell->curve |= bit;
	cell->curve_style = (uint8_t)ink.style;
	cell->slope = slope;
}

static void mark_edge(struct canvas_cell *cell, uint8_t bit, char slope, struct ink ink)
{
	(void)bit;
	(void)slope;
	(void)ink;
	cell->has_edge = true;
}

static void canvas_walk(struct canvas *canvas, const double x[2], const double y[2], struct ink ink,
			mark_cell mark)
{
	const double dx = (x[1] - x[0]) * canvas->region.width;
	const double dy = (y[1] - y[0]) * canvas->region.height;
	double t[2] = {0, 1}, steps;

	if (is_empty(canvas) || !isfinite(dx) || !isfinite(dy) || !clip(x[0], x[1], t) ||
	    !clip(y[0], y[1], t))
		return;
	steps = ceil(fmax(fabs(dx) * DOTS_X, fabs(dy) * DOTS_Y) * (t[1] - t[0])) + 1;
	for (double i = 0; i <= steps; i++) {
		const double at = t[0] + (t[1] - t[0]) * i / steps;
		uint8_t bit;
		struct canvas_cell *cell =
			canvas_cell_at(canvas, between(x, at), between(y, at), &bit);

		mark(cell, bit, slope_of(dx, dy), ink);
	}
}

void canvas_line(struct canvas *canvas, const double x[2], const double y[2], struct ink ink)
{
	canvas_walk(canvas, x, y, ink, mark_curve);
}

void canvas_edge(struct canvas *canvas, const double x[2], const double y[2])
{
	canvas_walk(canvas, x, y, (struct ink){0}, mark_edge);
}

void canvas_bar(struct canvas *canvas, const double x[2], double y, struct ink ink)
{
	const struct pane *region = &canvas->region;
	unsigned eighths, last;

	if (is_empty(canvas) || !(y > 0) || x[1] < 0 || x[0] > 1)
		return;
	/* Any bar is visible. */
	eighths = (unsigned)fmax(1, rint(fmin(y, 1) * region->height * EIGHTHS));
	last = dot_of(fmin(x[1], 1), region->width);
	for (unsigned column = dot_of(fmax(x[0], 0), region->width); column <= last; column++) {
		for (unsigned row = 0; row * EIGHTHS < eighths; row++) {
			struct canvas_cell *cell =
				&canvas->cells[(size_t)(region->height - 1 - row) * region->width +
					       column];
			const unsigned rest = eighths - row * EIGHTHS;
			const uint8_t bar = (uint8_t)(rest < EIGHTHS ? rest : EIGHTHS);

			cell->bar = cell->bar > bar ? cell->bar : bar;
			cell->bar_style = (uint8_t)ink.style;
		}
	}
}

/* A character for the number of points in a cell. */
static char crowd(unsigned n)
{
	return n == 1 ? '.' : n < 6 ? 'o' : n < 21 ? 'O' : '@';
}

static void paint_cell(const struct canvas *canvas, unsigned x, unsigned y,
		       const struct canvas_cell *cell)
{
	const bool is_ascii = canvas->region.screen->is_ascii;

	if (cell->n > 0 && canvas->with_letters)
		screen_put(canvas->region, x, y, cell->point_style,
			   (uint32_t)(cell->point_letter ? cell->point_letter : crowd(cell->n)));
	else if (cell->n > 0)
		screen_put(canvas->region, x, y, cell->point_style, BRAILLE | cell->points);
	else if (cell->curve)
		screen_put(canvas->region, x, y, cell->curve_style,
			   is_ascii ? (uint32_t)cell->slope : BRAILLE | cell->curve);
	else if (cell->bar)
		screen_put(canvas->region, x, y, cell->bar_style, BLOCKS + cell->bar);
	else if (cell->has_edge)
		screen_put(canvas->region, x, y, STYLE_DIM, SHADE);
}

void canvas_paint(const struct canvas *canvas)
{
	const unsigned width = canvas->region.width;

	for (unsigned y = 0; y < canvas->region.height; y++)
		for (unsigned x = 0; x < width; x++)
			paint_cell(canvas, x, y, &canvas->cells[(size_t)y * width + x]);
}
