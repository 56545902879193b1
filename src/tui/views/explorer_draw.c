/* Drawing all, and the mouse: the last drawing says which view a click is in. */

#include "opened_study.h"
#include "search.h"

enum { WHEEL = 3, MIN_WIDTH = 12, MIN_HEIGHT = 3 };

static bool region_has_point(const struct pane *region, unsigned x, unsigned y)
{
	return region->screen && x >= region->x && x - region->x < region->width &&
	       y >= region->y && y - region->y < region->height;
}

/* Select what is there; false: nothing. */
static bool select_at(struct explorer *explorer, unsigned x, unsigned y)
{
	switch (explorer->view) {
	case VIEW_LIST:
		return view_list_click(explorer, y);
	case VIEW_SCATTER:
	case VIEW_RESIDUALS:
		return plot_click(explorer, x, y);
	case VIEW_TREE:
		return view_tree_click(explorer, y);
	case VIEW_FEATURES:
		return view_features_click(explorer, y);
	case VIEW_SAMPLES:
		return view_samples_click(explorer, x, y);
	case VIEW_CALLS:
		return view_calls_click(explorer, y);
	case VIEW_SOURCE:
		return view_source_click(explorer, y);
	case VIEW_TIMELINE:
		return view_timeline_click(explorer, y);
	case VIEW_HISTOGRAM:
	case VIEW_ANNOTATION:
	case VIEW_CALL:
	case VIEW_GAINS:
	case VIEW_HELP:
	case VIEW_COUNT:
		break;
	}
	return false;
}

static bool click(struct explorer *explorer, unsigned x, unsigned y)
{
	const struct layout *layout = &explorer->layout;
	const bool has_plot = layout->plot.screen;
	const struct pane *place = has_plot ? &layout->plot : &layout->body;

	if (region_has_point(&layout->tabs, x, y)) {
		const enum view view = view_border_tab_at(explorer, x);

		if (view < VIEW_COUNT)
			explorer->view = view;
		return false;
	}
	if (explorer->view == VIEW_LIST && region_has_point(&layout->heading, x, y)) {
		view_list_sort_at(explorer, x - layout->heading.x);
		return false;
	}
	return region_has_point(place, x, y) && select_at(explorer, x - place->x, y - place->y);
}

/* The wheel's key: zoom in a plot, scroll beside it. */
static uint32_t wheel_key(const struct explorer *explorer, enum explorer_mouse what, bool is_beside)
{
	const bool is_up = what == MOUSE_WHEEL_UP;

	if (is_beside)
		return is_up ? '{' : '}';
	if (explorer->layout.plot.screen)
		return is_up ? '+' : '-';
	return is_up ? EXPLORER_UP : EXPLORER_DOWN;
}

struct explorer_effect explorer_point(struct explorer *explorer, enum explorer_mouse what,
				      unsigned x, unsigned y)
{
	struct explorer_effect request = {0};

	if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN) {
		const bool is_beside = region_has_point(&explorer->layout.beside, x, y);
		const uint32_t key = wheel_key(explorer, what, is_beside);

		for (int i = 0; i < (key == '+' || key == '-' ? 1 : WHEEL); i++)
			explorer_press(explorer, key);
		return request;
	}
	text_cut(&explorer->message, 0);
	explorer->is_filtering = explorer->is_searching = false;
	if (region_has_point(&explorer->layout.keys, x, y)) {
		const uint32_t key = view_border_key_at(explorer, x - explorer->layout.keys.x);

		return key ? explorer_press(explorer, key) : request;
	}
	if (click(explorer, x, y) && what == MOUSE_DOUBLE_CLICK)
		return explorer_press(explorer, EXPLORER_ENTER);
	opened_study_remember(explorer);
	return request;
}

/* Why there is no study. */
static void draw_waiting(const struct explorer *explorer, struct pane region)
{
	const struct opened_study *opened = &explorer->opened;

	if (opened->is_waiting)
		screen_text(region, 0, 0, STYLE_DIM, "fitting");
	else
		cell_text_fit(region, 0, 0, region.width,
			      opened->why.n > 0 ? opened->why.bytes : "nothing is known of it");
	if (!opened->is_waiting)
		screen_style(region, 0, STYLE_WARNING);
}

static void draw_too_small(struct pane all)
{
	const char *text = "terminal too small";

	for (unsigned y = 0; y < all.height && *text; y++) {
		screen_text(all, 0, y, STYLE_WARNING, text);
		text = screen_cut(text, all.width);
	}
}

void explorer_draw(struct explorer *explorer, struct screen *screen)
{
	const struct pane all = screen_all(screen);
	struct pane body;

	screen_clear(screen);
	if (screen->width < MIN_WIDTH || screen->height < MIN_HEIGHT) {
		explorer->layout = (struct layout){0};
		draw_too_small(all);
		return;
	}
	body = view_border_draw(explorer, all);
	explorer->layout.body = explorer->layout.view = body;
	explorer->layout.is_ascii = screen->is_ascii;
	if (explorer->view == VIEW_LIST || explorer->view == VIEW_GAINS ||
	    explorer->view == VIEW_HELP || explorer->opened.study)
		view_draw(explorer, body);
	else
		draw_waiting(explorer, body);
	if (explorer->view != VIEW_LIST)
		search_mark(explorer, body);
}
