/* Slopes are lines up to where they get flat, with the band of their interval. */
#include "figure_gains.h"

#include <math.h>

#include "base/text.h"
#include "figure_draw.h"

enum { UNITS_MOST = 8, EACH = 3, STEPS = 90 };

/* Of loads: how many times the work comes. */
static double gains_x(double speedup, bool is_load)
{
	return is_load ? 1 / (1 - speedup) : 100 * speedup;
}

/* Points are by speedup. */
static double speedup_at(const struct causal_gain *gain, size_t step)
{
	return gain->points[gain->n_points - 1].speedup * (double)step / STEPS;
}

static double *at_steps(struct arena *arena, double slope, const struct causal_gain *gain)
{
	double *y = arena_array(arena, double, STEPS + 1);

	for (size_t i = 0; i <= STEPS; i++)
		y[i] = 100 * slope * fmin(speedup_at(gain, i), gain->upto);
	return y;
}

/* What was measured, and of what is certain what was concluded. */
static size_t draw_unit(struct figure *figure, struct figure_series *series,
			const struct causal_gain *gain, const char *name, bool is_load)
{
	struct arena *arena = figure->arena;
	double *x = arena_array(arena, double, gain->n_points);
	double *y = arena_array(arena, double, gain->n_points);
	double *steps = arena_array(arena, double, STEPS + 1);
	size_t i, n = 0, n_points = 0;

	for (i = 0; i < gain->n_points; i++) {
		if (!isfinite(gain->points[i].gain))
			continue;
		x[n_points] = gains_x(gain->points[i].speedup, is_load);
		y[n_points++] = 100 * gain->points[i].gain;
	}
	for (i = 0; i <= STEPS; i++)
		steps[i] = gains_x(speedup_at(gain, i), is_load);
	if (gain->certain && isfinite(gain->low))
		series[n++] = (struct figure_series){.kind = FIGURE_BAND,
						     .x = steps,
						     .y = at_steps(arena, gain->low, gain),
						     .y2 = at_steps(arena, gain->high, gain),
						     .n = STEPS + 1};
	series[n++] = (struct figure_series){
		.kind = FIGURE_POINTS, .name = name, .x = x, .y = y, .n = n_points};
	if (gain->certain)
		series[n++] = (struct figure_series){.kind = FIGURE_CURVE,
						     .x = steps,
						     .y = at_steps(arena, gain->slope, gain),
						     .n = STEPS + 1};
	return n;
}

static void span(struct figure_axis *axis, const struct figure_series *series, size_t n, bool is_x)
{
	const struct draw_view all = figure_draw_view(false, NAN, NAN);
	double ends[2] = {INFINITY, -INFINITY};

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < series[i].n; j++) {
			const double a = is_x ? series[i].x[j] : series[i].y[j];
			const double b = is_x || !series[i].y2 ? a : series[i].y2[j];

			ends[0] = fmin(ends[0], fmin(a, b));
			ends[1] = fmax(ends[1], fmax(a, b));
		}
	figure_draw_span(axis, &all, ends, 2);
}

struct figure *figure_gains(const struct causal_gains *gains)
{
	const struct experiments *experiments = gains->experiments;
	const struct causal_progress *progress = &experiments->progress[gains->progress];
	const bool is_load = gains->n && experiments->units[gains->list[0].unit].is_load;
	struct arena *arena = arena_create();
	struct figure *figure = arena_new(arena, struct figure);
	struct figure_series *series = arena_array(arena, struct figure_series, UNITS_MOST * EACH);
	size_t i, j, n = 0, n_units = 0;

	figure->arena = arena;
	for (i = 0; i < gains->n && n_units < UNITS_MOST; i++) {
		const char *name = experiments->units[gains->list[i].unit].name;
		const size_t first = n;

		if (!gains->list[i].n_points)
			continue;
		n += draw_unit(figure, &series[n], &gains->list[i], arena_strdup(arena, name),
			       is_load);
		for (j = first; j < n; j++)
			series[j].group = (unsigned)n_units;
		n_units++;
	}
	if (!n) {
		figure_destroy(figure);
		return NULL;
	}
	figure->title = arena_printf(arena, "%s of %s",
				     progress->latency ? "latency" : "throughput", progress->name);
	figure->series = series;
	figure->n_series = n;
	figure->x = (struct figure_axis){.title = is_load ? "times as much work" : "faster by",
					 .unit = is_load ? NULL : "%"};
	figure->y = (struct figure_axis){.title = "gain", .unit = "%"};
	span(&figure->x, series, figure->n_series, true);
	span(&figure->y, series, figure->n_series, false);
	if (gains->n > n_units)
		figure->caption = arena_printf(arena, "%zu more were tried", gains->n - n_units);
	return figure;
}
