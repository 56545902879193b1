/* The calls as a table, sorted by any column: facts of the call, then features. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "opened_study.h"

/* One of these, or FIXED plus a feature's number. Features are shown before FIRST_BEHIND. */
enum { CALL, COST, EXPECTED, LEFT, CASE, THREAD, CALLER, START, FIXED, FIRST_BEHIND = THREAD };
enum { GAP = 1, WIDTH_MIN = 8, WIDTH_MAX = 24, WIDTH_FIXED = 9 };

static unsigned n_columns(const struct study *study)
{
	return FIXED + (unsigned)study->n_features;
}

static unsigned column_at(const struct study *study, unsigned place)
{
	if (place < FIRST_BEHIND)
		return place;
	if (place < FIRST_BEHIND + study->n_features)
		return FIXED + place - FIRST_BEHIND;
	return place - (unsigned)study->n_features;
}

static const char *column_title(const struct study *study, unsigned column)
{
	static const char *const titles[FIXED] = {
		[CALL] = "call",     [EXPECTED] = "expected", [LEFT] = "left over", [CASE] = "case",
		[THREAD] = "thread", [CALLER] = "caller",     [START] = "start s",
	};

	if (column == COST)
		return metric_info(study->metric)->keyword;
	return column < FIXED ? titles[column] : study->features[column - FIXED].expression;
}

/* Looks at a bounded number of labels; longer ones are cut. */
static unsigned widest_label(const struct column *column)
{
	enum { LABELS = 32 };
	unsigned ret = 0;

	for (size_t i = 0; i < column->n_labels && i < LABELS; i++) {
		const unsigned width = screen_width(column->labels[i].name);

		ret = ret > width ? ret : width;
	}
	return ret;
}

/* Ids grow, so the last is among the longest. */
static unsigned id_width(const struct study *study, unsigned least)
{
	const size_t n = study->n_points;
	char last[32];

	snprintf(last, sizeof(last), "%" PRId64,
		 n ? study->samples->keys[study->rows[n - 1]].id : (int64_t)0);
	return strlen(last) > least ? (unsigned)strlen(last) : least;
}

static unsigned column_width(const struct study *study, unsigned column)
{
	const unsigned width = screen_width(column_title(study, column));
	unsigned labels, most;

	if (column == CALL || column == CALLER)
		return id_width(study, width);
	if (column < FIXED)
		return width > WIDTH_FIXED || column == CASE ? width : WIDTH_FIXED;
	labels = widest_label(&study->samples->columns[study->features[column - FIXED].column]);
	most = width > labels ? width : labels;
	return most < WIDTH_MIN ? WIDTH_MIN : most > WIDTH_MAX ? WIDTH_MAX : most;
}

/* The sort key; NAN: unknown. */
static double cell_number(const struct opened_study *opened, unsigned column, size_t point)
{
	const struct study *study = opened->study;
	const struct sample_key *key = &study->samples->keys[study->rows[point]];
	struct value value;

	switch (column) {
	case CALL:
		return (double)key->id;
	case COST:
		return study->costs[point];
	case EXPECTED:
		return study->expected[point];
	case LEFT:
		return opened->costs_left[point];
	case CASE:
		return study->cases[point] == STUDY_NONE ? NAN : study->cases[point] + 1.0;
	case THREAD:
		return (double)key->thread;
	case CALLER:
		return key->parent ? (double)key->parent : NAN;
	case START:
		return (double)key->start_ns / 1e9;
	}
	value = study_value(study, column - FIXED, point);
	return value.absence == PRESENT ? value.number : NAN;
}

static bool samples_is_whole(unsigned column)
{
	return column == CALL || column == CASE || column == THREAD || column == CALLER;
}

static void samples_draw_cell(const struct opened_study *opened, struct pane cell, unsigned column,
			      size_t point)
{
	const double number = cell_number(opened, column, point);
	const char *label =
		column >= FIXED ? study_label(opened->study, column - FIXED, point) : NULL;
	char whole[32];

	snprintf(whole, sizeof(whole), "%.0f", number);
	if (isnan(number))
		cell_text_right(cell, 0, 0, cell.width, "-");
	else if (label)
		cell_text_right(cell, 0, 0, cell.width, label);
	else
		cell_text_right(cell, 0, 0, cell.width,
				samples_is_whole(column) ? whole : cell_text_number(number).bytes);
}

/*
 * Draw the columns that fit, from the leftmost on, for @point, or the headings if it is n_points.
 */
static void samples_draw_row(const struct opened_study *opened, struct pane row, size_t point)
{
	const struct study *study = opened->study;
	unsigned x = 0;

	for (unsigned i = opened->first_column; i < n_columns(study) && x < row.width; i++) {
		const unsigned column = column_at(study, i), width = column_width(study, column);
		const struct pane cell = screen_part(row, x, 0, width, 1);

		/* A cut number would read as another one. */
		if (x > 0 && x + width > row.width)
			break;
		if (point < study->n_points)
			samples_draw_cell(opened, cell, column, point);
		else
			cell_text_right(cell, 0, 0, cell.width, column_title(study, column));
		if (point >= study->n_points)
			screen_style(cell, 0, i == opened->column ? STYLE_SELECTED : STYLE_DIM);
		x += width + GAP;
	}
}

/* Scroll the selected column into view. */
static void fit_columns(struct opened_study *opened, unsigned width)
{
	const struct study *study = opened->study;
	unsigned x = 0, first;

	if (opened->column >= n_columns(study))
		opened->column = n_columns(study) - 1;
	if (opened->first_column > opened->column)
		opened->first_column = opened->column;
	for (first = opened->column + 1; first > 0; first--) {
		x += column_width(study, column_at(study, first - 1)) + GAP;
		if (x > width + GAP)
			break;
	}
	if (first > opened->column)
		first = opened->column; /* wider than the screen */
	if (opened->first_column < first)
		opened->first_column = first;
}

static size_t point_at(const struct opened_study *opened, size_t row)
{
	if (row >= opened->study->n_points)
		return opened->study->n_points;
	return opened->order ? opened->order[row] : row;
}

size_t view_samples_selected(const struct explorer *explorer)
{
	const struct opened_study *opened = &explorer->opened;

	return opened->study ? point_at(opened, opened->samples.selected) : 0;
}

void view_samples_select(struct explorer *explorer, size_t point)
{
	struct opened_study *opened = &explorer->opened;

	for (size_t i = 0; point < opened->study->n_points && i < opened->study->n_points; i++) {
		if (point_at(opened, i) == point) {
			opened->samples.selected = i;
			return;
		}
	}
}

struct sorted {
	double number;
	size_t point;
};

/* Largest first, unknown last, ties by call. */
static int samples_compare(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	if (isnan(x->number) != isnan(y->number))
		return isnan(x->number) ? 1 : -1;
	if (x->number != y->number && !isnan(x->number))
		return x->number < y->number ? 1 : -1;
	return (x->point > y->point) - (x->point < y->point);
}

/* The column that the table is sorted by; the number of columns: by call. */
static unsigned sort_column(const struct opened_study *opened)
{
	unsigned column = 0;

	while (column < n_columns(opened->study) &&
	       (!opened->sort_name ||
		strcmp(column_title(opened->study, column), opened->sort_name)))
		column++;
	return column;
}

void view_samples_arrange(struct explorer *explorer)
{
	struct opened_study *opened = &explorer->opened;
	const size_t n = opened->study->n_points;
	const unsigned column = sort_column(opened);
	struct sorted *sorted;

	free(opened->order);
	opened->order = NULL;
	if (column == n_columns(opened->study))
		return;
	sorted = mem_alloc(n * sizeof(*sorted));
	for (size_t i = 0; i < n; i++) {
		const double number = cell_number(opened, column, i);

		sorted[i] = (struct sorted){opened->sort_reversed ? -number : number, i};
	}
	qsort(sorted, n, sizeof(*sorted), samples_compare);
	opened->order = mem_alloc(n * sizeof(*opened->order));
	for (size_t i = 0; i < n; i++)
		opened->order[i] = sorted[i].point;
	free(sorted);
}

static void draw_order(const struct opened_study *opened, struct pane row)
{
	unsigned x = screen_printf(row, 0, 0, STYLE_DIM, "%zu calls, ", opened->study->n_points);

	if (sort_column(opened) == n_columns(opened->study)) {
		screen_text(row, x, 0, STYLE_DIM, "in the order in which they ended");
		return;
	}
	x += screen_text(row, x, 0, STYLE_DIM,
			 opened->sort_reversed ? "smallest first: " : "largest first: ");
	cell_text_fit(row, x, 0, row.width > x ? row.width - x : 0, opened->sort_name);
	screen_style(row, 0, STYLE_DIM);
}

void view_samples_draw(struct explorer *explorer, struct pane region)
{
	struct opened_study *opened = &explorer->opened;
	struct scroll *scroll = &opened->samples;
	const unsigned top = region.height >= 6 ? 2 : region.height >= 3 ? 1 : 0;
	const struct pane rows = screen_part(region, 0, top, region.width, region.height);
	const size_t n = opened->study->n_points;

	fit_columns(opened, region.width);
	if (top > 1)
		draw_order(opened, region);
	if (top > 0)
		samples_draw_row(opened, screen_part(region, 0, top - 1, region.width, 1), n);
	explorer->layout.body = rows;
	scroll_fit_list(scroll, n, rows.height);
	for (unsigned y = 0; y < rows.height && scroll->first + y < n; y++) {
		samples_draw_row(opened, screen_part(rows, 0, y, rows.width, 1),
				 point_at(opened, scroll->first + y));
		if (scroll->first + y == scroll->selected)
			screen_style(rows, y, STYLE_SELECTED);
	}
}

static void sort(struct explorer *explorer, enum action action)
{
	struct opened_study *opened = &explorer->opened;
	const size_t selected = view_samples_selected(explorer);
	const char *name = column_title(opened->study, column_at(opened->study, opened->column));
	const bool is_so = opened->sort_name && !strcmp(opened->sort_name, name);

	if (action == ACT_REVERSE)
		opened->sort_reversed = !opened->sort_reversed;
	else
		name_set_keep(&opened->sort_name, is_so ? NULL : name);
	view_samples_arrange(explorer);
	view_samples_select(explorer, selected);
}

void view_samples_act(struct explorer *explorer, enum action action)
{
	struct opened_study *opened = &explorer->opened;

	if (!opened->study || scroll_list(&opened->samples, action, opened->study->n_points))
		return;
	if (action == ACT_LEFT)
		opened->column -= opened->column > 0 ? 1 : 0;
	else if (action == ACT_RIGHT)
		opened->column += opened->column + 1 < n_columns(opened->study) ? 1 : 0;
	else if (action == ACT_SORT || action == ACT_REVERSE)
		sort(explorer, action);
}

bool view_samples_click(struct explorer *explorer, unsigned x, unsigned y)
{
	struct opened_study *opened = &explorer->opened;
	unsigned end = 0;

	if (!opened->study || opened->samples.first + y >= opened->study->n_points)
		return false;
	opened->samples.selected = opened->samples.first + y;
	for (unsigned i = opened->first_column; i < n_columns(opened->study); i++) {
		end += column_width(opened->study, column_at(opened->study, i)) + GAP;
		if (x < end) {
			opened->column = i;
			break;
		}
	}
	return true;
}
