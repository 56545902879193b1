/* The plots' cursor, which moves from call to call. */
#include <math.h>

#include "plot.h"

/* Points as cells, so that every step is visible. */
struct spot {
	double x, y; /* in dots, from the lower left corner */
};

enum { DOTS_X = 2, DOTS_Y = 4, REACH = 4 /* dots around a click */ };

static bool has_calls(const struct figure_series *series)
{
	return series->kind == FIGURE_POINTS && series->points;
}

static bool cursor_is_shown(const struct explorer *explorer, size_t point)
{
	return !explorer->opened.in_part || explorer->opened.in_part[point];
}

static const struct figure_series *find_point(const struct figure *figure, size_t point,
					      size_t *ret)
{
	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		for (size_t j = 0; has_calls(series) && j < series->n; j++) {
			if (series->points[j] == point) {
				*ret = j;
				return series;
			}
		}
	}
	return NULL;
}

bool plot_cursor_place(const struct explorer *explorer, const struct figure *figure, double *x,
		       double *y)
{
	const struct opened_study *opened = &explorer->opened;
	const struct figure_series *series;
	double place_x, place_y;
	size_t at;

	if (opened->cursor >= opened->study->n_points)
		return false;
	series = find_point(figure, opened->cursor, &at);
	if (!series)
		return false;
	place_x = plot_place_x(figure, series, at);
	place_y = figure_place(&figure->y, series->y[at]);
	if (!(place_x >= 0 && place_x <= 1 && place_y >= 0 && place_y <= 1))
		return false;
	*x = place_x;
	*y = place_y;
	return true;
}

void plot_draw_cursor(const struct explorer *explorer, const struct figure *figure,
		      struct pane region)
{
	double x, y;

	if (!plot_cursor_place(explorer, figure, &x, &y))
		return;
	screen_put(region, (unsigned)fmin(x * region.width, region.width - 1),
		   region.height - 1 - (unsigned)fmin(y * region.height, region.height - 1),
		   STYLE_CURSOR, region.screen->is_ascii ? 'X' : 0x25c9);
}

static struct spot spot_of(const struct explorer *explorer, double x, double y)
{
	return (struct spot){x * explorer->layout.plot.width * DOTS_X,
			     y * explorer->layout.plot.height * DOTS_Y};
}

/*
 * The distance from @from to @to in the direction, sideways distance weighted more. INFINITY: not
 * in that direction.
 */
static double way(enum action action, struct spot from, struct spot to)
{
	const double dx = to.x - from.x, dy = to.y - from.y;
	const bool is_level = action == ACT_LEFT || action == ACT_RIGHT;
	const double along = action == ACT_RIGHT  ? dx
			     : action == ACT_LEFT ? -dx
			     : action == ACT_UP   ? dy
						  : -dy;

	/* The same dot, or rather sideways. */
	if (along < 0.75)
		return INFINITY;
	return along + 3 * fabs(is_level ? dy : dx);
}

/* The cost of moving to a point; the smallest wins. */
typedef double (*judge)(enum action action, struct spot from, struct spot to);

static double nearness(enum action action, struct spot from, struct spot to)
{
	const double distance = hypot(to.x - from.x, to.y - from.y);

	return action == ACT_OPEN && distance > REACH ? INFINITY : distance;
}

static size_t best_point(const struct explorer *explorer, const struct figure *figure,
			 enum action action, struct spot from, judge badness)
{
	double best = INFINITY;
	size_t ret = explorer->opened.study->n_points;

	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		for (size_t j = 0; has_calls(series) && j < series->n; j++) {
			const double x = plot_place_x(figure, series, j);
			const double y = figure_place(&figure->y, series->y[j]);
			double value;

			if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1) ||
			    !cursor_is_shown(explorer, series->points[j]))
				continue;
			value = badness(action, from, spot_of(explorer, x, y));
			if (value < best) {
				best = value;
				ret = series->points[j];
			}
		}
	}
	return ret;
}

/* Calls are ordered by x, then y, then number. */
struct rank {
	double x, y;
	size_t point;
};

static bool cursor_comes_before(struct rank a, struct rank b)
{
	if (a.x != b.x)
		return a.x < b.x;
	return a.y != b.y ? a.y < b.y : a.point < b.point;
}

/* The next or previous call after @from. */
static size_t cursor_next_call(const struct explorer *explorer, const struct figure *figure,
			       enum action action, struct rank from)
{
	const bool is_next = action == ACT_NEXT_CALL;
	struct rank best = {.point = explorer->opened.study->n_points};
	bool has_best = false;

	for (size_t i = 0; i < figure->n_series; i++) {
		const struct figure_series *series = &figure->series[i];

		for (size_t j = 0; has_calls(series) && j < series->n; j++) {
			const struct rank rank = {series->x[j], series->y[j], series->points[j]};
			const bool is_beyond = is_next ? cursor_comes_before(from, rank)
						       : cursor_comes_before(rank, from);

			if (!is_beyond || !cursor_is_shown(explorer, rank.point))
				continue;
			if (!has_best || (is_next ? cursor_comes_before(rank, best)
						  : cursor_comes_before(best, rank)))
				best = rank;
			has_best = true;
		}
	}
	return best.point;
}

static struct rank cursor_rank_of(const struct figure *figure, size_t point)
{
	size_t at;
	const struct figure_series *series = find_point(figure, point, &at);

	return series ? (struct rank){series->x[at], series->y[at], point}
		      : (struct rank){-INFINITY, -INFINITY, 0};
}

static size_t move_from(const struct explorer *explorer, const struct figure *figure,
			enum action action)
{
	double x = 0.5, y = 0.5;

	if (action == ACT_NEXT_CALL || action == ACT_PREVIOUS_CALL)
		return cursor_next_call(explorer, figure, action,
					cursor_rank_of(figure, explorer->opened.cursor));
	if (!plot_cursor_place(explorer, figure, &x, &y))
		return best_point(explorer, figure, ACT_NOTHING, spot_of(explorer, x, y), nearness);
	return best_point(explorer, figure, action, spot_of(explorer, x, y), way);
}

static void put_cursor(struct explorer *explorer, size_t point)
{
	if (point >= explorer->opened.study->n_points)
		return;
	explorer->opened.cursor = point;
	explorer->opened.call.first = 0;
}

void plot_move_cursor(struct explorer *explorer, enum action action)
{
	const struct figure *figure = plot_figure(explorer);

	if (action == ACT_UP || action == ACT_DOWN || action == ACT_LEFT || action == ACT_RIGHT ||
	    action == ACT_NEXT_CALL || action == ACT_PREVIOUS_CALL)
		put_cursor(explorer, move_from(explorer, figure, action));
}

bool plot_click(struct explorer *explorer, unsigned x, unsigned y)
{
	const struct pane *plot = &explorer->layout.plot;
	const struct spot spot = {(x + 0.5) * DOTS_X, (plot->height - y - 0.5) * DOTS_Y};
	const size_t point = explorer->opened.study ? best_point(explorer, plot_figure(explorer),
								 ACT_OPEN, spot, nearness)
						    : 0;

	if (!explorer->opened.study || point >= explorer->opened.study->n_points)
		return false;
	put_cursor(explorer, point);
	return true;
}
