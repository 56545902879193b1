/*
 * Caches the figure that is shown: with many samples, making one (core/figure/figure.h) takes too
 * long for each key.
 */
#include <math.h>

#include "plot.h"

static bool same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

bool plot_same_part(const struct plot_view *a, const struct plot_view *b)
{
	return a->log_x == b->log_x && a->log_y == b->log_y && same_number(a->x_low, b->x_low) &&
	       same_number(a->x_high, b->x_high) && same_number(a->y_low, b->y_low) &&
	       same_number(a->y_high, b->y_high);
}

static bool same_key(const struct figure_key *a, const struct figure_key *b)
{
	return a->view == b->view && a->feature == b->feature && plot_same_part(&a->part, &b->part);
}

static struct figure *make_figure(const struct study *study, const struct figure_key *key)
{
	struct figure_options options = figure_default;

	options.log_x = key->part.log_x;
	options.log_y = key->part.log_y;
	options.x_low = key->part.x_low;
	options.x_high = key->part.x_high;
	options.y_low = key->part.y_low;
	options.y_high = key->part.y_high;
	if (key->view == VIEW_HISTOGRAM)
		return figure_histogram(study, &options);
	return key->view == VIEW_RESIDUALS ? figure_residuals(study, key->feature, &options)
					   : figure_scatter(study, key->feature, &options);
}

enum view plot_view_of(const struct explorer *explorer)
{
	const enum view view = explorer->view == VIEW_CALL ? explorer->call_from : explorer->view;

	return view >= VIEW_SCATTER && view <= VIEW_HISTOGRAM ? view : VIEW_SCATTER;
}

struct plot_view *plot_part_of(struct explorer *explorer)
{
	return &explorer->opened.plots[plot_view_of(explorer) - VIEW_SCATTER];
}

const struct figure *plot_figure(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;
	struct figure_key key;

	if (!opened->study)
		return NULL;
	key = (struct figure_key){plot_view_of(explorer), opened->feature, *plot_part_of(explorer)};
	if (opened->figure && same_key(&key, &opened->figure_key))
		return opened->figure;
	explorer_state_drop_figure(opened);
	opened->figure = make_figure(opened->study, &key);
	if (key.view == VIEW_SCATTER && explorer->before)
		figure_compare_add(opened->figure, explorer->before);
	opened->figure_key = key;
	return opened->figure;
}
