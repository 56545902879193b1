/*
 * The plots of a study: the part shown, and its place. plot_figure.c makes the figure,
 * plot_series.c draws its data, plot_axes.c axes and legend; plot_cursor.c has the cursor.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen/canvas.h"
#include "plot.h"

enum { BESIDE_FROM = 100, BESIDE_MIN = 38, BESIDE_MAX = 72, SUMMARY_FROM = 12, SUMMARY = 2 };
enum { TICKS_MOST = 40, FORMULA_FROM = 16 };

#define ZOOM 0.5
#define PAN  0.25

/* A line at residual 0. */
static void draw_zero(struct pane region, const struct figure *figure)
{
	const double y = figure->y.is_log ? NAN : figure_place(&figure->y, 0);

	if (!(y >= 0 && y <= 1))
		return;
	for (unsigned x = 0; x < region.width; x++)
		screen_put(region, x, (unsigned)fmin((1 - y) * region.height, region.height - 1),
			   STYLE_DIM, 0x2500);
}

static void draw_inside(struct explorer *explorer, const struct figure *figure, struct pane region)
{
	struct canvas canvas;

	if (region.width == 0 || region.height == 0)
		return;
	if (plot_view_of(explorer) == VIEW_RESIDUALS)
		draw_zero(region, figure);
	canvas_init(&canvas, region, explorer->with_letters);
	plot_draw_series(&explorer->opened, figure, &canvas);
	canvas_paint(&canvas);
	canvas_deinit(&canvas);
	plot_draw_letters(&explorer->opened, figure, region);
	explorer->layout.plot = region;
	plot_draw_cursor(explorer, figure, region);
}

static unsigned beside_width(unsigned width)
{
	const unsigned wanted = width * 2 / 5;

	if (width < BESIDE_FROM)
		return 0;
	return wanted < BESIDE_MIN ? BESIDE_MIN : wanted > BESIDE_MAX ? BESIDE_MAX : wanted;
}

static bool has_cursor(const struct explorer *explorer)
{
	return explorer->opened.cursor < explorer->opened.study->n_points &&
	       plot_view_of(explorer) != VIEW_HISTOGRAM;
}

/* The annotation, or the call under the cursor. */
static void draw_beside(struct explorer *explorer, struct pane region)
{
	for (unsigned y = 0; y < region.height; y++)
		screen_put(region, 0, y, STYLE_DIM, 0x2502);
	region = screen_part(region, 2, 0, region.width, region.height);
	explorer->layout.beside = region;
	if (has_cursor(explorer))
		view_text_call_draw(explorer, region);
	else
		view_text_annotation_draw(explorer, region);
}

/*
 * The formula of the call under the cursor, or of the case with most calls, if there is no room for
 * the annotation.
 */
static void plot_draw_formula(const struct explorer *explorer, const struct figure *figure,
			      struct pane line)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (has_cursor(explorer))
		call_text_formula(explorer->opened.study, explorer->opened.cursor, out);
	else
		fputs(figure->formula ? figure->formula : "", out);
	fclose(out);
	cell_text_fit(line, 0, 0, line.width, text);
	screen_style(line, 0, STYLE_DIM);
	free(text);
}

void plot_draw(struct explorer *explorer, struct pane region)
{
	const struct figure *figure = plot_figure(explorer);
	const unsigned beside = beside_width(region.width);
	/* With an empty column between. */
	struct pane left =
		screen_part(region, 0, 0, region.width - beside - (beside ? 1 : 0), region.height);

	if (region.height >= FORMULA_FROM) {
		plot_draw_formula(explorer, figure, screen_part(left, 0, 0, left.width, 1));
		left = screen_part(left, 0, 1, left.width, left.height - 1);
	}
	if (!beside && has_cursor(explorer) && region.height >= SUMMARY_FROM) {
		left.height -= SUMMARY;
		call_text_summary(explorer, screen_part(region, 0, region.height - SUMMARY,
							region.width, SUMMARY));
	}
	draw_inside(explorer, figure, plot_draw_axes(figure, left));
	if (beside)
		draw_beside(explorer,
			    screen_part(region, region.width - beside, 0, beside, region.height));
}

/* Do the numbers at the axis differ? */
static bool has_distinct_ticks(const struct figure_axis *axis)
{
	char texts[2][FIGURE_TEXT] = {""};
	double ticks[TICKS_MOST];
	const size_t n = figure_ticks(axis, TICKS_MOST, ticks);

	for (size_t i = 0; i < n; i++) {
		figure_text(ticks[i], texts[i % 2]);
		if (i > 0 && !strcmp(texts[0], texts[1]))
			return false;
	}
	return true;
}

/*
 * The part of @axis between the places @low and @high; no narrower than its numbers can
 * distinguish, nor beyond them.
 */
static void plot_set_range(const struct figure_axis *axis, double low, double high, double ret[2])
{
	const double from = figure_number(axis, low), to = figure_number(axis, high);
	struct figure_axis part = *axis;

	part.low = from;
	part.high = to;
	if (!isfinite(from) || !isfinite(to) || !(to - from > 1e-9 * fmax(fabs(from), fabs(to))))
		return;
	if (high - low < 1 && !has_distinct_ticks(&part))
		return;
	ret[0] = from;
	ret[1] = to;
}

static void show_range(struct plot_view *part, const struct figure *figure, const double x[2],
		       const double y[2])
{
	double range[2] = {part->x_low, part->x_high};

	plot_set_range(&figure->x, x[0], x[1], range);
	part->x_low = range[0];
	part->x_high = range[1];
	range[0] = part->y_low;
	range[1] = part->y_high;
	plot_set_range(&figure->y, y[0], y[1], range);
	part->y_low = range[0];
	part->y_high = range[1];
}

static void show_everything(struct plot_view *part)
{
	const struct plot_view all = explorer_state_plot_everything();

	*part = (struct plot_view){all.x_low,   all.x_high,  all.y_low, all.y_high,
				   part->log_x, part->log_y, 0};
}

static void zoom(struct explorer *explorer, double factor)
{
	const struct figure *figure = plot_figure(explorer);
	double x = 0.5, y = 0.5;

	plot_cursor_place(explorer, figure, &x, &y);
	show_range(plot_part_of(explorer), figure, (const double[]){x - factor / 2, x + factor / 2},
		   (const double[]){y - factor / 2, y + factor / 2});
}

static void zoom_in(struct explorer *explorer)
{
	struct plot_view *part = plot_part_of(explorer);
	const struct plot_view before = *part;

	zoom(explorer, ZOOM);
	part->depth += !plot_same_part(&before, part);
}

/* At the last level the range is open, also for calls still to come. */
static void zoom_out(struct explorer *explorer)
{
	struct plot_view *part = plot_part_of(explorer);

	if (part->depth <= 1) {
		show_everything(part);
		return;
	}
	zoom(explorer, 1 / ZOOM);
	part->depth--;
}

static void pan(struct explorer *explorer, double x, double y)
{
	show_range(plot_part_of(explorer), plot_figure(explorer), (const double[]){x, 1 + x},
		   (const double[]){y, 1 + y});
}

static void toggle_log(struct explorer *explorer, enum action action)
{
	struct plot_view *part = plot_part_of(explorer);

	if (action == ACT_LOG_X) {
		part->log_x = !part->log_x;
		part->x_low = part->x_high = NAN;
	} else {
		part->log_y = !part->log_y;
		part->y_low = part->y_high = NAN;
	}
}

static void reset(struct explorer *explorer)
{
	show_everything(plot_part_of(explorer));
	explorer->opened.cursor = explorer->opened.study->n_points;
	explorer->opened.call.first = 0;
}

static void scroll_beside(struct explorer *explorer, enum action action)
{
	const enum action as_text = action == ACT_TEXT_UP ? ACT_UP : ACT_DOWN;

	if (has_cursor(explorer))
		view_text_call_act(explorer, as_text);
	else
		view_text_annotation_act(explorer, as_text);
}

void plot_act(struct explorer *explorer, enum action action)
{
	if (action == ACT_LETTERS)
		explorer->with_letters = !explorer->with_letters;
	if (!explorer->opened.study)
		return;
	if (action == ACT_ZOOM_IN)
		zoom_in(explorer);
	else if (action == ACT_ZOOM_OUT)
		zoom_out(explorer);
	else if (action == ACT_PAN_LEFT || action == ACT_PAN_RIGHT)
		pan(explorer, action == ACT_PAN_LEFT ? -PAN : PAN, 0);
	else if (action == ACT_PAN_DOWN || action == ACT_PAN_UP)
		pan(explorer, 0, action == ACT_PAN_DOWN ? -PAN : PAN);
	else if (action == ACT_LOG_X || action == ACT_LOG_Y)
		toggle_log(explorer, action);
	else if (action == ACT_RESET)
		reset(explorer);
	else if (action == ACT_TEXT_UP || action == ACT_TEXT_DOWN)
		scroll_beside(explorer, action);
	else
		plot_move_cursor(explorer, action);
}
