/* Points of figures: which are shown, and which represent others where there are too many. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "figure_draw.h"

/* Deviations from the expected cost that make a point an outlier. */
#define FAR 4.0
/* Outliers are at most this share of the points shown. */
#define FAR_PART 0.25
/* Warn if this share of the numbers takes only so little of the axis. */
#define MOST_PART 0.99
#define LITTLE    0.1

struct figure_dots figure_dots_create(size_t most)
{
	return (struct figure_dots){.x = mem_alloc((most + 1) * sizeof(double)),
				    .y = mem_alloc((most + 1) * sizeof(double)),
				    .points = mem_alloc((most + 1) * sizeof(size_t))};
}

void figure_dots_deinit(struct figure_dots *dots)
{
	free(dots->x);
	free(dots->y);
	free(dots->points);
}

void figure_dots_add(struct figure_dots *dots, double x, double y, size_t point)
{
	dots->x[dots->n] = x;
	dots->y[dots->n] = y;
	dots->points[dots->n++] = point;
}

static bool is_in_view(const struct draw_view *view, double number)
{
	return !(number < view->low) && !(number > view->high);
}

const char *figure_dots_calls_word(size_t n)
{
	return n == 1 ? "call" : "calls";
}

void figure_dots_choose(struct drawing *drawing, const struct draw_view *x,
			const struct draw_view *y, struct figure_dots *dots)
{
	size_t n_without = 0, n_beyond = 0;
	size_t kept = 0;

	for (size_t i = 0; i < dots->n; i++) {
		if (!figure_draw_has_room(x, dots->x[i]) || !figure_draw_has_room(y, dots->y[i])) {
			n_without++;
			continue;
		}
		if (!is_in_view(x, dots->x[i]) || !is_in_view(y, dots->y[i])) {
			n_beyond++;
			continue;
		}
		dots->x[kept] = dots->x[i];
		dots->y[kept] = dots->y[i];
		dots->points[kept++] = dots->points[i];
	}
	dots->n = kept;
	if (n_without)
		figure_draw_say(drawing, "%zu %s not above 0, which logarithmic axes do not have",
				n_without, figure_dots_calls_word(n_without));
	if (n_beyond)
		figure_draw_say(drawing, "%zu %s outside of the part that is shown", n_beyond,
				figure_dots_calls_word(n_beyond));
}

void figure_dots_warn(struct drawing *drawing, const struct figure_axis *axis,
		      const double *numbers, size_t n)
{
	double *copy;
	double most;
	char text[FIGURE_TEXT];

	if (axis->is_log || axis->labels || n < 2)
		return;
	copy = mem_alloc(n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		copy[i] = numbers[i];
	most = figure_dots_quantile(copy, n, MOST_PART);
	free(copy);
	if (figure_place(axis, most) >= LITTLE)
		return;
	figure_text(most, text);
	figure_draw_say(drawing, "%g %% of the calls have %s up to %s", 100 * MOST_PART,
			axis->title, text);
}

static bool dots_is_far(const struct study *study, size_t point)
{
	return study->cases[point] != STUDY_NONE &&
	       fabs(study->costs[point] - study->expected[point]) > FAR * study->deviation[point];
}

/* Keep the extremes of both axes; returns how many. */
static size_t dots_keep_ends(const struct figure_dots *dots, bool *kept)
{
	size_t ends[4] = {0};
	size_t n = 0;

	for (size_t i = 1; i < dots->n; i++) {
		ends[0] = dots->x[i] < dots->x[ends[0]] ? i : ends[0];
		ends[1] = dots->x[i] > dots->x[ends[1]] ? i : ends[1];
		ends[2] = dots->y[i] < dots->y[ends[2]] ? i : ends[2];
		ends[3] = dots->y[i] > dots->y[ends[3]] ? i : ends[3];
	}
	for (size_t i = 0; i < 4; i++) {
		n += !kept[ends[i]];
		kept[ends[i]] = true;
	}
	return n;
}

/* Keep @wanted of the points that are @far or not, at even steps; returns how many. */
static size_t keep_evenly(const struct study *study, const struct figure_dots *dots, bool far,
			  size_t wanted, bool *kept)
{
	size_t n = 0;
	size_t seen = 0;
	size_t added = 0;

	for (size_t i = 0; i < dots->n; i++)
		n += !kept[i] && dots_is_far(study, dots->points[i]) == far;
	wanted = wanted < n ? wanted : n;
	for (size_t i = 0; i < dots->n && added < wanted; i++) {
		if (kept[i] || dots_is_far(study, dots->points[i]) != far)
			continue;
		if ((size_t)((double)added * n / wanted) <= seen) {
			kept[i] = true;
			added++;
		}
		seen++;
	}
	return added;
}

static void dots_thin(struct drawing *drawing, struct figure_dots *dots)
{
	const size_t most = drawing->options.max_points;
	const size_t all = dots->n;
	size_t n, i;
	bool *kept;

	if (!most || all <= most)
		return;
	kept = mem_alloc(all * sizeof(*kept));
	n = dots_keep_ends(dots, kept);
	if (n < most)
		n += keep_evenly(drawing->study, dots, true, FAR_PART * (most - n), kept);
	if (n < most)
		n += keep_evenly(drawing->study, dots, false, most - n, kept);
	for (i = n = 0; i < all; i++) {
		if (!kept[i])
			continue;
		dots->x[n] = dots->x[i];
		dots->y[n] = dots->y[i];
		dots->points[n++] = dots->points[i];
	}
	dots->n = n;
	free(kept);
	figure_draw_say(drawing, "%zu of %zu calls are shown", n, all);
}

/* Of its model, or far from it (n_groups + 1). */
static unsigned dots_group_of(const struct drawing *drawing, size_t point)
{
	if (dots_is_far(drawing->study, point))
		return drawing->n_groups + 1;
	return figure_draw_group(drawing, drawing->study->cases[point],
				 drawing->study->models[point]);
}

/* Draw the @n points of one group. */
static void draw_group_dots(struct drawing *drawing, const struct figure_dots *dots,
			    const unsigned *groups, unsigned group, size_t n)
{
	struct figure_series *series = figure_draw_series(drawing, FIGURE_POINTS, group);
	double *x = arena_array(drawing->arena, double, n);
	double *y = arena_array(drawing->arena, double, n);
	size_t *points = arena_array(drawing->arena, size_t, n);

	for (size_t i = 0; i < dots->n; i++) {
		if (groups[i] != group)
			continue;
		x[series->n] = dots->x[i];
		y[series->n] = dots->y[i];
		points[series->n++] = dots->points[i];
	}
	series->x = x;
	series->y = y;
	series->points = points;
	series->is_outside = group >= drawing->n_groups;
	if (series->is_outside)
		series->name = group == drawing->n_groups ? "no case" : "beyond 4 deviations";
	else
		series->name = figure_draw_name(drawing, drawing->study->cases[points[0]],
						drawing->study->models[points[0]]);
}

void figure_dots_draw(struct drawing *drawing, struct figure_dots *dots)
{
	size_t *counts = mem_alloc((drawing->n_groups + 2) * sizeof(*counts));
	unsigned *groups;
	unsigned group;

	dots_thin(drawing, dots);
	groups = mem_alloc((dots->n + 1) * sizeof(*groups));
	for (size_t i = 0; i < dots->n; i++) {
		groups[i] = dots_group_of(drawing, dots->points[i]);
		counts[groups[i]]++;
	}
	for (group = 0; group <= drawing->n_groups + 1; group++)
		if (counts[group])
			draw_group_dots(drawing, dots, groups, group, counts[group]);
	free(groups);
	free(counts);
}

/* A pivot between the two that no fixed order of the numbers makes bad every time. */
static size_t dots_pick(size_t first, size_t last)
{
	const uint64_t mixed = (first * 0x9e3779b97f4a7c15u ^ last) * 0xbf58476d1ce4e5b9u;

	return first + (mixed >> 16) % (last - first + 1);
}

/*
 * The number of rank @at, moved there, with smaller ones before it. Source: Hoare, Algorithm 65:
 * Find, CACM 4 (1961).
 */
static double select_number(double *numbers, size_t n, size_t at)
{
	size_t first = 0;
	size_t last = n - 1;

	while (first < last) {
		const double pivot = numbers[dots_pick(first, last)];
		size_t i = first;
		size_t j = last;

		while (i <= j) {
			while (numbers[i] < pivot)
				i++;
			while (numbers[j] > pivot)
				j--;
			if (i <= j) {
				const double swap = numbers[i];

				numbers[i++] = numbers[j];
				numbers[j] = swap;
				if (!j)
					break;
				j--;
			}
		}
		if (at <= j)
			last = j;
		else if (at >= i)
			first = i;
		else
			break;
	}
	return numbers[at];
}

double figure_dots_quantile(double *numbers, size_t n, double share)
{
	return n ? select_number(numbers, n, (size_t)(share * (n - 1))) : NAN;
}
