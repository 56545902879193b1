/*
 * Search in every view: views are drawn out of sight, and what is looked for are the rows where it
 * stands then. In plots, calls are sought, by all that is known of them.
 */
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { PAGE = 256 /* rows drawn at once */ };

/* What the view scrolls; NULL: it has no rows. *@ret_lists: rows are selected, not scrolled to. */
static struct scroll *search_scroll(struct explorer *explorer, bool *ret_lists)
{
	struct opened_study *opened = &explorer->opened;

	*ret_lists = true;
	switch (explorer->view) {
	case VIEW_TREE:
		return &opened->tree;
	case VIEW_FEATURES:
		return &opened->features;
	case VIEW_SAMPLES:
		return &opened->samples;
	case VIEW_CALLS:
		return &opened->calls;
	case VIEW_SOURCE:
		return &opened->source;
	case VIEW_TIMELINE:
		return &explorer->timeline;
	case VIEW_ANNOTATION:
	case VIEW_GAINS:
	case VIEW_HELP:
		*ret_lists = false;
		return explorer->view == VIEW_HELP    ? &explorer->help
		       : explorer->view == VIEW_GAINS ? &explorer->gained
						      : &opened->annotation;
	case VIEW_LIST:
	case VIEW_SCATTER:
	case VIEW_RESIDUALS:
	case VIEW_HISTOGRAM:
	case VIEW_CALL:
	case VIEW_COUNT:
		break;
	}
	return NULL;
}

static bool row_has(const struct pane *region, unsigned y, const char *needle)
{
	struct text text = {0};
	bool has;

	for (unsigned x = 0; x < region->width; x++) {
		const struct cell *cell =
			&region->screen->cells[(size_t)(region->y + y) * region->screen->width +
					       region->x + x];
		char bytes[4];

		if (cell->character)
			text_add(&text, bytes, screen_encode(cell->character, bytes));
	}
	has = text.n && strcasestr(text.bytes, needle);
	text_deinit(&text);
	return has;
}

/* Rows that have it, before and behind the row where one is. */
struct found {
	bool is_any;
	size_t at, first, last, before, behind;
	bool has_before, has_behind;
};

static void found_add(struct found *found, size_t row)
{
	if (!found->is_any)
		found->first = row;
	found->is_any = true;
	found->last = row;
	if (row < found->at) {
		found->before = row;
		found->has_before = true;
	}
	if (row > found->at && !found->has_behind) {
		found->behind = row;
		found->has_behind = true;
	}
}

static size_t found_choose(const struct found *found, int by)
{
	if (by > 0)
		return found->has_behind ? found->behind : found->first;
	return found->has_before ? found->before : found->last;
}

/* Draw all rows, page by page. */
static struct found search_rows(struct explorer *explorer, struct scroll *scroll, bool lists)
{
	struct found found = {.at = lists ? scroll->selected : scroll->first};
	const struct pane view = explorer->layout.view;
	struct screen *screen = screen_create(view.width, PAGE, explorer->layout.is_ascii);
	const struct scroll before = *scroll;
	const struct layout layout = explorer->layout;
	size_t from = 0;

	for (bool more = true; more;) {
		struct pane body;

		screen_clear(screen);
		explorer->layout.body = (struct pane){0};
		scroll->first = scroll->selected = from;
		view_draw(explorer, screen_all(screen));
		body = explorer->layout.body.screen ? explorer->layout.body : screen_all(screen);
		more = (lists ? scroll->selected : scroll->first) == from;
		for (unsigned y = 0; y < body.height; y++)
			if (scroll->first + y >= from && row_has(&body, y, explorer->search.bytes))
				found_add(&found, scroll->first + y);
		from = scroll->first + body.height;
	}
	*scroll = before;
	explorer->layout = layout;
	screen_destroy(screen);
	return found;
}

static bool call_has(const struct study *study, size_t point, const char *needle)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool has;

	call_text(study, point, out);
	fclose(out);
	has = strcasestr(text, needle);
	free(text);
	return has;
}

/* The next call that has it, in the order of the samples. */
static bool search_calls(struct explorer *explorer, int by)
{
	struct opened_study *opened = &explorer->opened;
	const size_t n = opened->study->n_points;
	size_t at = opened->cursor < n ? opened->cursor : by > 0 ? n - 1 : 0;

	for (size_t i = 0; i < n; i++) {
		at = (at + n + (size_t)by) % n;
		if (!call_has(opened->study, at, explorer->search.bytes))
			continue;
		opened->cursor = at;
		opened->call.first = 0;
		return true;
	}
	return false;
}

bool search_go(struct explorer *explorer, int by)
{
	struct scroll *scroll;
	struct found found;
	bool lists;

	if (explorer->view == VIEW_HISTOGRAM)
		explorer->view = VIEW_ANNOTATION;
	if (explorer->view != VIEW_HELP && explorer->view != VIEW_GAINS && !explorer->opened.study)
		return false;
	scroll = search_scroll(explorer, &lists);
	if (scroll && !explorer->layout.view.width)
		return false; /* not drawn */
	if (!scroll)
		return search_calls(explorer, by);
	found = search_rows(explorer, scroll, lists);
	if (found.is_any)
		*(lists ? &scroll->selected : &scroll->first) = found_choose(&found, by);
	return found.is_any;
}

static uint32_t search_lower(uint32_t character)
{
	return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
}

/* Columns of @needle, if it stands at @cells[@n]; 0: it does not. Of ASCII only. */
static unsigned search_matches(const struct cell *cells, unsigned n, const char *needle)
{
	unsigned i;

	for (i = 0; needle[i]; i++)
		if (i >= n ||
		    search_lower(cells[i].character) != search_lower((unsigned char)needle[i]))
			return 0;
	return i;
}

void search_mark(const struct explorer *explorer, struct pane region)
{
	for (unsigned y = 0; explorer->search.n && y < region.height; y++)
		for (unsigned x = 0; x < region.width; x++) {
			struct cell *cells =
				&region.screen
					 ->cells[(size_t)(region.y + y) * region.screen->width +
						 region.x + x];
			const unsigned n =
				search_matches(cells, region.width - x, explorer->search.bytes);

			for (unsigned i = 0; i < n; i++)
				cells[i].style = STYLE_CURSOR;
		}
}
