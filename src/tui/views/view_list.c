/* The list of functions; list_entries.c has its contents and order. */
#include <math.h>
#include <string.h>

#include "views.h"

enum { GAP = 1, NAME_MIN = 12, FORMULA_MIN = 16, FILTER_MAX = 256 /* bytes */ };
enum { SKIP = 8, SKIP_MOST = 4096 /* columns */ };

enum column_name {
	NAME,
	SAMPLES,
	METRIC,
	SHARE_BEFORE,
	SHARE,
	R2,
	CASES,
	FORMULA,
	CALLS,
	TOTAL,
	SELF,
	MEAN_BEFORE,
	MEAN,
	TIMES,
	P50,
	P95,
	P99,
	COLUMNS
};

enum { MODELS = 1 << LIST_MODELS, COSTS = 1 << LIST_COSTS, COMPARED = 1 << LIST_COMPARED };

/* Those that go first on narrow screens have the highest numbers. */
static const struct {
	const char *title;
	unsigned width, sets, dispensable;
	enum list_order order; /* ENTRY_ORDERS: there is none by it */
} titles[COLUMNS] = {
	[NAME] = {"function", NAME_MIN, MODELS | COSTS | COMPARED, 0, BY_FUNCTION},
	[SAMPLES] = {"samples", 7, MODELS, 2, BY_SAMPLES},
	[METRIC] = {"metric", 7, MODELS | COSTS | COMPARED, 1, BY_METRIC},
	[SHARE] = {"share", 7, MODELS | COSTS | COMPARED, 4, BY_SHARE},
	[R2] = {"R²", 5, MODELS, 3, BY_R2},
	[CASES] = {"cases", 5, MODELS, 5, BY_CASES},
	[FORMULA] = {"formula", FORMULA_MIN, MODELS, 6, ENTRY_ORDERS},
	[CALLS] = {"calls", 6, COSTS, 5, BY_CALLS},
	[TOTAL] = {"total", 8, COSTS, 2, BY_TOTAL},
	[SELF] = {"self", 8, COSTS, 3, BY_SELF},
	[P50] = {"median", 8, COSTS, 6, BY_P50},
	[P95] = {"95 %", 8, COSTS, 7, BY_P95},
	[P99] = {"99 %", 8, COSTS, 8, BY_P99},
	[SHARE_BEFORE] = {"before", 7, COMPARED, 7, BY_SHARE_BEFORE},
	[MEAN_BEFORE] = {"before", 8, COMPARED, 5, BY_MEAN_BEFORE},
	[MEAN] = {"now", 8, COMPARED, 3, BY_MEAN},
	[TIMES] = {"times", 6, COMPARED, 2, BY_TIMES},
};
enum { DISPENSABLE_MOST = 8 };

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

/* Without those of the least use until the others fit. */
static void list_drop(struct columns *columns, unsigned width)
{
	for (unsigned rank = DISPENSABLE_MOST; rank > 0; rank--)
		for (size_t i = 0; i < COLUMNS && sum(columns) > width; i++)
			if (titles[i].dispensable == rank)
				columns->width[i] = 0;
}

static struct columns list_arrange(const struct explorer *explorer, unsigned width)
{
	struct columns ret;
	unsigned x = 0, rest, formula;

	for (size_t i = 0; i < COLUMNS; i++)
		ret.width[i] = titles[i].sets >> explorer->columns & 1 ? titles[i].width : 0;
	ret.width[METRIC] = widest_metric(&explorer->entries);
	list_drop(&ret, width);
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

/* How far @name goes along with another that begins like it, in bytes; 0: with none. */
static size_t list_common(const struct list_entries *entries, const char *name, size_t least)
{
	size_t most = 0;

	for (size_t i = 0; i < entries->n; i++) {
		const char *other = entries->all[i].function;
		size_t n = 0;

		while (name[n] && name[n] == other[n])
			n++;
		if (n >= least && n > most && (name[n] || other[n]))
			most = n;
	}
	return most;
}

static void list_draw_name(const struct explorer *explorer, const struct explorer_entry *entry,
			   struct pane region, const struct columns *columns, unsigned y)
{
	const struct list_entries *entries = &explorer->entries;
	const unsigned width = columns->width[NAME];
	struct text name = {0};
	size_t shown, tell = 0;

	if (entry->file && is_ambiguous(entries, entry)) {
		text_add_string(&name, list_base_name(entry->file));
		text_add_string(&name, ": ");
	}
	shown = name.n;
	text_add_string(&name, entry->function);
	if (entry->module) {
		text_add_string(&name, " in ");
		text_add_string(&name, list_base_name(entry->module));
	}
	if (screen_width(name.bytes) > width && width > 1) {
		const size_t seen = (size_t)(screen_cut(name.bytes, width - 1) - name.bytes);

		tell = list_common(entries, entry->function, seen > shown ? seen - shown : 0);
		tell += tell ? shown : 0;
	}
	cell_text_tell(region, columns->x[NAME], y, width, explorer->list_skip, name.bytes, tell);
	text_deinit(&name);
}

static const char *list_number(const struct explorer_entry *entry, enum column_name column,
			       char ret[METRIC_AMOUNT])
{
	const double number = list_entries_number(entry, titles[column].order);

	if (isnan(number))
		snprintf(ret, METRIC_AMOUNT, "-");
	else if (column == SAMPLES || column == CALLS)
		snprintf(ret, METRIC_AMOUNT, "%s", cell_text_count((uint64_t)number).bytes);
	else if (column == SHARE || column == SHARE_BEFORE)
		snprintf(ret, METRIC_AMOUNT, "%s", cell_text_percent(number).bytes);
	else if (column == R2)
		snprintf(ret, METRIC_AMOUNT, "%.3f", fmin(fmax(number, -9), 1));
	else if (column == CASES)
		snprintf(ret, METRIC_AMOUNT, "%.0f", number);
	else if (column == TIMES)
		snprintf(ret, METRIC_AMOUNT, number < 99 ? "%.2f" : "%.3g", number);
	else
		metric_amount(entry->metric, number, ret);
	return ret;
}

static void draw_entry(const struct explorer *explorer, const struct explorer_entry *entry,
		       struct pane region, const struct columns *columns, unsigned y)
{
	char text[METRIC_AMOUNT];

	list_draw_name(explorer, entry, region, columns, y);
	for (size_t i = NAME + 1; i < COLUMNS; i++) {
		const enum column_name column = (enum column_name)i;

		if (!columns->width[column])
			continue;
		if (column == METRIC)
			list_draw_cell(region, columns, y, METRIC,
				       metric_info(entry->metric)->keyword);
		else if (column == FORMULA)
			list_draw_cell(region, columns, y, FORMULA,
				       !entry->is_modelled ? "..."
				       : entry->formula    ? entry->formula
							   : "-");
		else
			list_draw_cell(region, columns, y, column,
				       list_number(entry, column, text));
	}
}

static unsigned heading(const struct pane *region)
{
	return region->height >= 4 ? 1 : 0;
}

void view_list_draw(struct explorer *explorer, struct pane region)
{
	const struct list_entries *entries = &explorer->entries;
	const struct columns columns = list_arrange(explorer, region.width);
	const unsigned top = heading(&region);
	const struct pane rows = screen_part(region, 0, top, region.width, region.height);
	struct scroll *list = &explorer->list;

	if (top) {
		for (size_t i = 0; i < COLUMNS; i++)
			if (columns.width[i])
				list_draw_cell(region, &columns, 0, (enum column_name)i,
					       titles[i].title);
		explorer->layout.heading = screen_part(region, 0, 0, region.width, 1);
		screen_style(region, 0, STYLE_DIM);
	}
	explorer->layout.body = rows;
	scroll_fit_list(list, entries->n_shown, rows.height);
	if (entries->n_shown == 0)
		screen_text(rows, 0, 0, STYLE_DIM,
			    entries->n ? "no function has that in its name" : "no functions yet");
	for (unsigned y = 0; y < rows.height && list->first + y < entries->n_shown; y++) {
		draw_entry(explorer, &entries->all[entries->shown[list->first + y]], rows, &columns,
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

static bool list_has_order(const struct explorer *explorer, enum list_order order)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (titles[i].order == order && titles[i].sets >> explorer->columns & 1)
			return true;
	return false;
}

static enum list_order list_next_order(const struct explorer *explorer)
{
	enum list_order order = explorer->entries.order;

	do {
		order = (order + 1) % ENTRY_ORDERS;
	} while (!list_has_order(explorer, order) && order != explorer->entries.order);
	return order;
}

/* By @order; turned around if it is so already. */
static void list_sort(struct explorer *explorer, enum list_order order)
{
	struct list_entries *entries = &explorer->entries;

	entries->is_reversed ^= entries->order == order;
	entries->order = order;
	view_list_rearrange(explorer);
}

/* What is compared is a set only if there is something to compare with. */
static enum list_columns list_next_set(const struct explorer *explorer)
{
	bool is_compared = false;

	for (size_t i = 0; i < explorer->entries.n; i++)
		is_compared |= explorer->entries.all[i].before.is_known;
	return (explorer->columns + 1) % (is_compared ? LIST_SETS : LIST_COMPARED);
}

bool view_list_sort_at(struct explorer *explorer, unsigned x)
{
	const struct columns columns = list_arrange(explorer, explorer->layout.heading.width);

	for (size_t i = 0; i < COLUMNS; i++)
		if (columns.width[i] && x >= columns.x[i] && x < columns.x[i] + columns.width[i] &&
		    titles[i].order != ENTRY_ORDERS) {
			list_sort(explorer, titles[i].order);
			return true;
		}
	return false;
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
		list_sort(explorer, list_next_order(explorer));
	else if (action == ACT_REVERSE)
		list_sort(explorer, entries->order);
	else if (action == ACT_COLUMNS)
		explorer->columns = list_next_set(explorer);
	else if (action == ACT_SIDE_LEFT || action == ACT_SIDE_RIGHT)
		explorer->list_skip = action == ACT_SIDE_RIGHT && explorer->list_skip < SKIP_MOST
					      ? explorer->list_skip + SKIP
				      : explorer->list_skip > SKIP ? explorer->list_skip - SKIP
								   : 0;
	else if (action == ACT_NEXT_FOUND || action == ACT_PREVIOUS_FOUND)
		scroll_list(&explorer->list, action == ACT_NEXT_FOUND ? ACT_DOWN : ACT_UP,
			    entries->n_shown);
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

/* What is typed: the filter of the list, or what to look for. */
static struct text *list_typed(struct explorer *explorer)
{
	return explorer->is_searching ? &explorer->search : &explorer->entries.filter;
}

static void type(struct text *typed, uint32_t key)
{
	char bytes[4];

	if (typed->n + sizeof(bytes) <= FILTER_MAX)
		text_add(typed, bytes, screen_encode(key, bytes));
}

static void untype(struct text *typed)
{
	size_t n = typed->n;

	while (n > 0 && ((unsigned char)typed->bytes[n - 1] & 0xc0) == 0x80)
		n--;
	text_cut(typed, n ? n - 1 : 0);
}

bool view_list_edit(struct explorer *explorer, uint32_t key)
{
	enum { CTRL_U = 'U' - '@' };
	struct text *typed = list_typed(explorer);
	const bool searches = explorer->is_searching;

	if (key == EXPLORER_ENTER || key == EXPLORER_ESCAPE)
		explorer->is_filtering = explorer->is_searching = false;
	if (key == EXPLORER_ESCAPE || key == CTRL_U)
		text_cut(typed, 0);
	else if (key == EXPLORER_BACKSPACE)
		untype(typed);
	else if (key >= ' ' && key < KEY_FIRST)
		type(typed, key);
	else if (key != EXPLORER_ENTER)
		return key == EXPLORER_LEFT || key == EXPLORER_RIGHT;
	if (!searches)
		view_list_rearrange(explorer);
	return true;
}
