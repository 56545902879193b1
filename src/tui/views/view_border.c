/* Around a view: title, tabs, status line, line of keys. A small screen leaves them out. */
#include <stdlib.h>
#include <string.h>

#include "core/annotation/quote_head.h"
#include "views.h"

enum { NAMES_FROM = 96, SHORT_NAMES_FROM = 80 /* columns */ };
enum { TITLE_FROM = 3, KEYS_FROM = 5, TABS_FROM = 6, STATUS_FROM = 8 };

static const char *order_name(const struct list_entries *entries)
{
	static const char *const names[ENTRY_ORDERS] = {
		[BY_SHARE] = "share",
		[BY_SAMPLES] = "samples",
		[BY_FUNCTION] = "name",
		[BY_METRIC] = "metric",
		[BY_R2] = "R²",
		[BY_CASES] = "cases",
		[BY_CALLS] = "calls",
		[BY_TOTAL] = "total",
		[BY_SELF] = "self",
		[BY_P50] = "median",
		[BY_P95] = "95 %",
		[BY_P99] = "99 %",
		[BY_MEAN] = "cost now",
		[BY_TIMES] = "times",
		[BY_SHARE_BEFORE] = "share before",
		[BY_MEAN_BEFORE] = "cost before",
	};

	return names[entries->order];
}

static void draw_list_title(const struct explorer *explorer, struct pane line)
{
	const struct list_entries *entries = &explorer->entries;
	unsigned x = screen_text(line, 0, 0, STYLE_TITLE, "fathom: ");

	if (entries->n_shown < entries->n)
		x += screen_printf(line, x, 0, STYLE_TITLE, "%zu of ", entries->n_shown);
	x += screen_printf(line, x, 0, STYLE_TITLE, "%zu model%s by %s%s", entries->n,
			   entries->n == 1 ? "" : "s", order_name(entries),
			   entries->is_reversed ? ", reversed" : "");
	if (entries->filter.n > 0 && !explorer->is_filtering)
		screen_printf(line, x, 0, STYLE_TITLE, ", with \"%s\"", entries->filter.bytes);
}

static const char *function_state(const struct opened_study *opened)
{
	if (opened->is_waiting)
		return "fitting";
	return opened->study ? "" : "no model";
}

static void draw_function_title(const struct opened_study *opened, struct pane line)
{
	const char *state = function_state(opened);
	const char *metric = metric_info(opened->entry.metric)->keyword;
	const char *place = opened->entry.function + quote_head_length(opened->entry.function);
	char *function = strndup(opened->entry.function, place - opened->entry.function);
	const unsigned n = screen_width(state) + 1;
	const unsigned n_cost = screen_width(metric) + 1 + screen_width(place);
	const unsigned rest = line.width > n + n_cost ? line.width - n - n_cost : 0;
	unsigned x = screen_width(function);

	x = x < rest ? x : rest;
	cell_text_fit(line, 0, 0, rest, function);
	screen_printf(line, x, 0, STYLE_TITLE, ".%s%s", metric, place);
	free(function);
	if (*state && line.width > n)
		screen_text(line, line.width - n + 1, 0, STYLE_WARNING, state);
}

static void draw_title(struct explorer *explorer, struct pane line)
{
	if (explorer->view == VIEW_HELP)
		screen_printf(line, 0, 0, STYLE_TITLE, "Keys: %s",
			      keys_view_name(explorer->help_from));
	else if (explorer->view == VIEW_GAINS)
		screen_printf(line, 0, 0, STYLE_TITLE, "What if code got faster?");
	else if (explorer->view == VIEW_LIST)
		draw_list_title(explorer, line);
	else
		draw_function_title(&explorer->opened, line);
	for (unsigned x = 0; x < line.width; x++) {
		struct cell *cell =
			&line.screen->cells[(size_t)line.y * line.screen->width + line.x + x];

		if (cell->style == STYLE_NORMAL)
			cell->style = STYLE_TITLE;
	}
}

static void draw_tabs(struct explorer *explorer, struct pane line)
{
	/* Names if all fit, or short ones; else numbers, and this tab's name. */
	const bool has_room = line.width >= SHORT_NAMES_FROM;
	unsigned x = 0;

	for (enum view view = VIEW_FIRST_TAB; view <= VIEW_LAST_TAB; view++) {
		const bool is_here = view == explorer->view;
		const enum style style = is_here ? STYLE_SELECTED : STYLE_NORMAL;

		if (has_room || is_here)
			x += screen_printf(line, x, 0, style, " %u %s", view - VIEW_FIRST_TAB + 1,
					   line.width < NAMES_FROM && has_room
						   ? keys_view_short(view)
						   : keys_view_name(view));
		else
			x += screen_printf(line, x, 0, style, " %u", view - VIEW_FIRST_TAB + 1);
		explorer->layout.tab_ends[view] = x;
	}
	explorer->layout.tabs = line;
}

enum view view_border_tab_at(const struct explorer *explorer, unsigned x)
{
	for (enum view view = VIEW_FIRST_TAB; view <= VIEW_LAST_TAB; view++)
		if (x < explorer->layout.tab_ends[view])
			return view;
	return VIEW_COUNT;
}

uint32_t view_border_key_at(const struct explorer *explorer, unsigned x)
{
	for (size_t i = 0; explorer->layout.hints[i].end; i++)
		if (x < explorer->layout.hints[i].end)
			return explorer->layout.hints[i].key;
	return 0;
}

static void draw_keys(struct explorer *explorer, struct pane line)
{
	const struct key_binding *binding;
	unsigned x = 0;
	size_t n = 0;

	explorer->layout.keys = line;

	for (size_t i = 0; (binding = keys_binding(i)); i++) {
		char name[KEY_NAME];

		if (!(binding->views & 1u << explorer->view) || !binding->word)
			continue;
		keys_name(binding->keys[0], name);
		if (x + screen_width(name) + 1 + screen_width(binding->word) > line.width)
			continue;
		x += screen_text(line, x, 0, STYLE_KEY, name) + 1;
		x += screen_text(line, x, 0, STYLE_DIM, binding->word) + 2;
		if (n < HINTS_MOST - 1) {
			explorer->layout.hints[n].end = x;
			explorer->layout.hints[n++].key = binding->keys[0];
		}
	}
}

static bool draw_filter(const struct explorer *explorer, struct pane line)
{
	const struct list_entries *entries = &explorer->entries;
	const struct text *typed = explorer->is_searching ? &explorer->search : &entries->filter;
	const char *filter = typed->n > 0 ? typed->bytes : "";
	unsigned x;

	if (!explorer->is_filtering && !explorer->is_searching)
		return false;
	/* Show the end, where the user types. */
	while (screen_width(filter) + 2 > line.width && *filter)
		filter = screen_cut(filter, 1) > filter ? screen_cut(filter, 1) : filter + 1;
	x = screen_text(line, 0, 0, STYLE_KEY, "/");
	x += screen_text(line, x, 0, STYLE_NORMAL, filter);
	screen_put(line, x, 0, STYLE_CURSOR, ' ');
	return true;
}

/* The outcome of a request; false: none. */
static bool draw_message(const struct explorer *explorer, struct pane line)
{
	if (explorer->message.n == 0)
		return false;
	cell_text_fit(line, 0, 0, line.width, explorer->message.bytes);
	screen_style(line, 0, STYLE_WARNING);
	return true;
}

static bool draw_live(const struct explorer *explorer, struct pane line)
{
	char *text = status_line_text(&explorer->status, line.width);

	if (!text)
		return false;
	cell_text_fit(line, 0, 0, line.width, text);
	screen_style(line, 0, STYLE_STATUS);
	free(text);
	return true;
}

/* On one line, the most urgent. */
static bool draw_status(const struct explorer *explorer, struct pane line)
{
	return draw_filter(explorer, line) || draw_message(explorer, line) ||
	       draw_live(explorer, line);
}

/* With two lines, a message replaces the keys if the other line is in use. */
static void draw_bottom(struct explorer *explorer, struct pane lines)
{
	const struct pane upper = screen_part(lines, 0, 0, lines.width, 1);
	const struct pane lower = screen_part(lines, 0, 1, lines.width, 1);

	if (draw_filter(explorer, upper) || draw_live(explorer, upper)) {
		if (draw_message(explorer, lower))
			return;
	} else {
		draw_message(explorer, upper);
	}
	draw_keys(explorer, lower);
}

struct pane view_border_draw(struct explorer *explorer, struct pane all)
{
	const unsigned height = all.height;
	const bool is_tab = explorer->view >= VIEW_FIRST_TAB && explorer->view <= VIEW_LAST_TAB;
	unsigned top = 0, bottom = 0;

	explorer->layout = (struct layout){0};
	if (height >= TITLE_FROM)
		draw_title(explorer, screen_part(all, 0, top++, all.width, 1));
	if (height >= TABS_FROM && is_tab)
		draw_tabs(explorer, screen_part(all, 0, top++, all.width, 1));
	if (height >= STATUS_FROM) {
		draw_bottom(explorer, screen_part(all, 0, height - 2, all.width, 2));
		bottom = 2;
	} else if (draw_status(explorer, screen_part(all, 0, height - 1, all.width, 1))) {
		bottom = 1;
	} else if (height >= KEYS_FROM) {
		draw_keys(explorer, screen_part(all, 0, height - 1, all.width, 1));
		bottom = 1;
	}
	return screen_part(all, 0, top, all.width, height - top - bottom);
}
