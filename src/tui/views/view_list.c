/* The list of functions; list_entries.c has its contents and order. */
#include <math.h>
#include <string.h>

#include "explorer_state.h"

enum { GAP = 1, NAME_MIN = 12, FORMULA_MIN = 16, FILTER_MAX = 256 /* bytes */ };

enum column_name { NAME, SAMPLES, METRIC, SHARE, R2, CASES, FORMULA, COLUMNS };

static const struct {
	const char *title;
	unsigned width;
} titles[COLUMNS] = {
	[NAME] = {"function", NAME_MIN},
	[SAMPLES] = {"samples", 7},
	[METRIC] = {"metric", 7},
	[SHARE] = {"share", 7},
	[R2] = {"R²", 5},
	[CASES] = {"cases", 5},
	[FORMULA] = {"formula", FORMULA_MIN},
};

/* Columns that go first on narrow screens. */
static const enum column_name dispensable[] = {FORMULA, CASES, SHARE, R2, SAMPLES, METRIC};

struct columns {
	unsigned x[COLUMNS], width[COLUMNS]; /* width 0: not shown */
};

static unsigned sum(const struct columns *columns)
{
	unsigned n = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		n += columns->width[i] ? columns->width[i] + GAP : 0;
	return n - GAP;
}

static unsigned widest_metric(const struct list_entries *entries)
{
	unsigned n = titles[METRIC].width - 1;

	for (size_t i = 0; i < entries->n; i++) {
		const unsigned width = screen_width(metric_info(entries->all[i].metric)->keyword);

		n = n > width ? n : width;
	}
	return n;
}

static struct columns list_arrange(const struct list_entries *entries, unsigned width)
{
	struct columns ret;
	unsigned x = 0, rest, formula;

	for (size_t i = 0; i < COLUMNS; i++)
		ret.width[i] = titles[i].width;
	ret.width[METRIC] = widest_metric(entries);
	for (size_t i = 0; i < COLUMNS - 1 && sum(&ret) > width; i++)
		ret.width[dispensable[i]] = 0;
	rest = sum(&ret) < width ? width - sum(&ret) : 0;
	formula = ret.width[FORMULA] ? rest * 2 / 5 : 0;
	ret.width[FORMULA] += formula;
	ret.width[NAME] = sum(&ret) > width ? width : ret.width[NAME] + rest - formula;
	for (size_t i = 0; i < COLUMNS; i++) {
		ret.x[i] = x;
		x += ret.width[i] ? ret.width[i] + GAP : 0;
	}
	return ret;
}

static bool list_is_number(enum column_name column)
{
	return column != NAME && column != METRIC && column != FORMULA;
}

static void list_draw_cell(struct pane region, const struct columns *columns, unsigned y,
			   enum column_name column, const char *text)
{
	if (list_is_number(column))
		cell_text_right(region, columns->x[column], y, columns->width[column], text);
	else
		cell_text_fit(region, columns->x[column], y, columns->width[column], text);
}

/* Do others have the same name? */
static bool is_ambiguous(const struct list_entries *entries, const struct explorer_entry *entry)
{
	for (size_t i = 0; i < entries->n; i++)
		if (!strcmp(entries->all[i].function, entry->function) &&
		    !list_entries_same_function(&entries->all[i], entry))
			return true;
	return false;
}

static const char *list_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void list_draw_name(const struct list_entries *entries, const struct explorer_entry *entry,
			   struct pane region, const struct columns *columns, unsigned y)
{
	struct text name = {0};

	if (entry->file && is_ambiguous(entries, entry)) {
		text_add_string(&name, list_base_name(entry->file));
		text_add_string(&name, ": ");
	}

	text_add_string(&name, entry->function);
	if (entry->module) {
		text_add_string(&name, " in ");
		text_add_string(&name, list_base_name(entry->module));
	}
	list_draw_cell(region, columns, y, NAME, name.bytes);
	text_deinit(&name);
}

static void draw_entry(const struct list_entries *entries, const struct explorer_entry *entry,
		       struct pane region, const struct columns *columns, unsigned y)
{
	char cases[24] = "-", r2[8] = "-";

	if (entry->is_modelled)
		snprintf(cases, sizeof(cases), "%zu", entry->n_cases);
	if (entry->is_modelled && !isnan(entry->r2))
		snprintf(r2, sizeof(r2), "%.3f", fmin(fmax(entry->r2, -9), 1));
	list_draw_name(entries, entry, region, columns, y);
	list_draw_cell(region, columns, y, SAMPLES, cell_text_count(entry->n_samples).bytes);
	list_draw_cell(region, columns, y, METRIC, metric_info(entry->metric)->keyword);
	list_draw_cell(region, columns, y, SHARE, cell_text_percent(entry->share).bytes);
	list_draw_cell(region, columns, y, R2, r2);
	list_draw_cell(region, columns, y, CASES, cases);
	list_draw_cell(region, columns, y, FORMULA,
		       !entry->is_modelled ? "..."
		       : entry->formula    ? entry->formula
					   : "-");
}

static unsigned heading(const struct pane *region)
{
	return region->height >= 4 ? 1 : 0;
}

void view_list_draw(struct explorer *explorer, struct pane region)
{
	const struct list_entries *entries = &explorer->entries;
	const struct columns columns = list_arrange(entries, region.width);
	const unsigned top = heading(&region);
	const struct pane rows = screen_part(region, 0, top, region.width, region.height);
	struct scroll *list = &explorer->list;

	if (top) {
		for (size_t i = 0; i < COLUMNS; i++)
			list_draw_cell(region, &columns, 0, (enum column_name)i, titles[i].title);
		screen_style(region, 0, STYLE_DIM);
	}
	explorer->layout.body = rows;
	scroll_fit_list(list, entries->n_shown, rows.height);
	if (entries->n_shown == 0)
		screen_text(rows, 0, 0, STYLE_DIM,
			    entries->n ? "no function has that in its name" : "no functions yet");
	for (unsigned y = 0; y < rows.height && list->first + y < entries->n_shown; y++) {
		draw_entry(entries, &entries->all[entries->shown[list->first + y]], rows, &columns,
			   y);
		if (list->first + y == list->selected)
			screen_style(rows, y, STYLE_SELECTED);
	}
}

void view_list_select_again(struct explorer *explorer, const struct explorer_entry *before)
{
	const size_t at = list_entries_find_shown(&explorer->entries, before);

	if (at < explorer->entries.n_shown)
		explorer->list.selected = at;
	else if (explorer->list.selected >= explorer->entries.n_shown)
		explorer->list.selected =
			explorer->entries.n_shown ? explorer->entries.n_shown - 1 : 0;
}

/* After a change of order or filter; the selection keeps its function. */
void view_list_rearrange(struct explorer *explorer)
{
	const struct list_entries *entries = &explorer->entries;
	const struct explorer_entry *selected =
		explorer->list.selected < entries->n_shown
			? &entries->all[entries->shown[explorer->list.selected]]
			: NULL;

	list_entries_arrange(&explorer->entries);
	view_list_select_again(explorer, selected);
}

static void clear_filter(struct explorer *explorer)
{
	text_cut(&explorer->entries.filter, 0);
	view_list_rearrange(explorer);
}

struct explorer_effect view_list_act(struct explorer *explorer, enum action action)
{
	struct list_entries *entries = &explorer->entries;

	if (scroll_list(&explorer->list, action, entries->n_shown)) {
		explorer->has_moved = true;
		return (struct explorer_effect){0};
	}
	if (action == ACT_OPEN && explorer->list.selected < entries->n_shown)
		return (struct explorer_effect){.kind = EXPLORER_OPEN,
						.entry = entries->shown[explorer->list.selected]};
	if (action == ACT_FILTER)
		explorer->is_filtering = true;
	else if (action == ACT_BACK)
		clear_filter(explorer);
	else if (action == ACT_SORT)
		entries->order = (entries->order + 1) % ENTRY_ORDERS;
	else if (action == ACT_REVERSE)
		entries->is_reversed = !entries->is_reversed;
	if (action == ACT_SORT || action == ACT_REVERSE)
		view_list_rearrange(explorer);
	return (struct explorer_effect){0};
}

bool view_list_click(struct explorer *explorer, unsigned y)
{
	if (explorer->list.first + y >= explorer->entries.n_shown)
		return false;
	explorer->list.selected = explorer->list.first + y;
	explorer->has_moved = true;
	return true;
}

static void type(struct explorer *explorer, uint32_t key)
{
	struct text *filter = &explorer->entries.filter;
	char bytes[4];

	if (filter->n + sizeof(bytes) > FILTER_MAX)
		return;
	text_add(filter, bytes, screen_encode(key, bytes));
	view_list_rearrange(explorer);
}

static void untype(struct explorer *explorer)
{
	struct text *filter = &explorer->entries.filter;
	size_t n = filter->n;

	while (n > 0 && ((unsigned char)filter->bytes[n - 1] & 0xc0) == 0x80)
		n--;
	text_cut(filter, n ? n - 1 : 0);
	view_list_rearrange(explorer);
}

bool view_list_edit_filter(struct explorer *explorer, uint32_t key)
{
	enum { CTRL_U = 'U' - '@' };

	if (key == EXPLORER_ENTER || key == EXPLORER_ESCAPE) {
		explorer->is_filtering = false;
		if (key == EXPLORER_ESCAPE)
			text_cut(&explorer->entries.filter, 0);
		view_list_rearrange(explorer);
	} else if (key == EXPLORER_BACKSPACE) {
		untype(explorer);
	} else if (key == CTRL_U) {
		text_cut(&explorer->entries.filter, 0);
		view_list_rearrange(explorer);
	} else if (key >= ' ' && key < KEY_FIRST) {
		type(explorer, key);
	} else {
		return key == EXPLORER_LEFT || key == EXPLORER_RIGHT;
	}
	return true;
}
