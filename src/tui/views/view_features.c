/* The features, sorted by what they explain; equivalent ones are folded. */
#include <math.h>

#include "views.h"

enum { EXPLAINS = 7, MARKS = 3, TYPE = 6, RANGE = 18, CALLS = 8, GAP = 1, NAME_MIN = 20 };

/* A row: a feature, or an equivalent of it. */
struct row {
	unsigned feature; /* STUDY_NONE: no such row */
	size_t alias;     /* 0: the feature itself; else index of the equivalent + 1 */
};

static bool is_unfolded(const struct opened_study *opened, unsigned feature)
{
	return opened->unfolded.n > 0 &&
	       name_set_has(&opened->unfolded, opened->study->features[feature].expression);
}

static size_t rows_of(const struct opened_study *opened, unsigned feature)
{
	return 1 + (is_unfolded(opened, feature) ? opened->study->features[feature].n_aliases : 0);
}

static size_t features_count_rows(const struct opened_study *opened)
{
	size_t n = 0;

	for (unsigned i = 0; i < opened->study->n_features; i++)
		n += rows_of(opened, i);
	return n;
}

static struct row row_at(const struct opened_study *opened, size_t at)
{
	for (unsigned i = 0; i < opened->study->n_features; i++) {
		const size_t n = rows_of(opened, i);

		if (at < n)
			return (struct row){i, at};
		at -= n;
	}
	return (struct row){STUDY_NONE, 0};
}

unsigned view_features_selected(const struct explorer *explorer)
{
	const struct opened_study *opened = &explorer->opened;

	return opened->study ? row_at(opened, opened->features.selected).feature : STUDY_NONE;
}

void view_features_select(struct explorer *explorer, unsigned feature)
{
	struct opened_study *opened = &explorer->opened;
	size_t at = 0;

	if (feature == STUDY_NONE)
		return;
	for (unsigned i = 0; i < feature; i++)
		at += rows_of(opened, i);
	opened->features.selected = at;
}

/* In the model; pinned or excluded. */
static void marks(const struct opened_study *opened, const struct study_feature *feature,
		  char ret[4])
{
	const bool is_pinned = explorer_state_name_in(&opened->pinned, feature);
	const bool is_excluded = explorer_state_name_in(&opened->excluded, feature);

	snprintf(ret, 4, "%c%c%c", feature->in_annotation == STUDY_NONE ? ' ' : '*',
		 is_pinned     ? 'p'
		 : is_excluded ? 'x'
			       : ' ',
		 opened->feature != STUDY_NONE &&
				 &opened->study->features[opened->feature] == feature
			 ? '>'
			 : ' ');
}

struct columns {
	unsigned name, type, range, present; /* width 0: not shown */
};

static struct columns features_arrange(unsigned width)
{
	struct columns ret = {0};
	unsigned rest = width > EXPLAINS + MARKS + 2 * GAP ? width - EXPLAINS - MARKS - 2 * GAP : 0;

	if (rest >= NAME_MIN + TYPE)
		rest -= ret.type = TYPE + GAP;
	if (rest >= NAME_MIN + RANGE)
		rest -= ret.range = RANGE + GAP;
	if (rest >= NAME_MIN + CALLS)
		rest -= ret.present = CALLS + GAP;
	ret.name = rest;
	return ret;
}

static void draw_columns(struct pane region, unsigned y, const struct columns *columns,
			 const char *const texts[4])
{
	unsigned x = EXPLAINS + MARKS + 2 * GAP;

	cell_text_right(region, 0, y, EXPLAINS, texts[0]);
	if (columns->type)
		cell_text_fit(region, x, y, TYPE, texts[1]);
	x += columns->type;
	if (columns->range)
		cell_text_right(region, x, y, RANGE, texts[2]);
	x += columns->range;
	if (columns->present)
		cell_text_right(region, x, y, CALLS, texts[3]);
}

/* The number, or its label. */
static void features_print_value(const struct study *study, const struct study_feature *feature,
				 double number, struct text *to)
{
	const char *label = samples_label(&study->samples->columns[feature->column], number);

	text_add_string(to, label ? label : cell_text_number(number).bytes);
}

static struct text range_text(const struct study *study, const struct study_feature *feature)
{
	struct text ret = {0};

	if (isnan(feature->min)) {
		text_add_string(&ret, "-");
		return ret;
	}
	features_print_value(study, feature, feature->min, &ret);
	if (feature->min < feature->max) {
		text_add_string(&ret, "..");
		features_print_value(study, feature, feature->max, &ret);
	}
	return ret;
}

/* The expression, and the number of equivalents. */
static struct text name_text(const struct study_feature *feature)
{
	const size_t n = feature->n_aliases + feature->n_more;
	struct text ret = {0};
	char more[40];

	text_add_string(&ret, feature->expression);
	if (n > 0) {
		snprintf(more, sizeof(more), " (and %zu equivalent)", n);
		text_add_string(&ret, more);
	}
	return ret;
}

static void features_draw_feature(const struct opened_study *opened, struct pane region, unsigned y,
				  unsigned at)
{
	const struct study_feature *feature = &opened->study->features[at];
	const struct columns columns = features_arrange(region.width);
	struct text range = range_text(opened->study, feature), name = name_text(feature);
	const unsigned x = region.width - columns.name;
	char mark[4];

	marks(opened, feature, mark);
	screen_text(region, EXPLAINS + GAP, y, STYLE_KEY, mark);
	draw_columns(region, y, &columns,
		     (const char *const[]){cell_text_percent(feature->explains).bytes,
					   feature_type_name(feature->type), range.bytes,
					   cell_text_count(feature->n_present).bytes});
	if (feature->n_aliases > 0)
		screen_put(region, x, y, STYLE_KEY, is_unfolded(opened, at) ? 0x25be : 0x25b8);
	if (columns.name > 2)
		cell_text_fit(region, x + 2, y, columns.name - 2, name.bytes);
	text_deinit(&range);
	text_deinit(&name);
}

static void draw_alias(const struct study_feature *feature, size_t at, struct pane region)
{
	char phrase[ANNOTATION_PHRASE] = "";
	struct text text = {0};

	if (feature->maps)
		annotation_affine_phrase(&feature->maps[at], phrase);
	text_add_string(&text, feature->aliases[at]);
	text_add_string(&text, phrase);
	cell_text_fit(region, 0, 0, region.width, text.bytes);
	text_deinit(&text);
}

static void features_draw_row(const struct opened_study *opened, struct pane region, unsigned y,
			      struct row row)
{
	const unsigned x = region.width - features_arrange(region.width).name + 4;
	const struct study_feature *feature = &opened->study->features[row.feature];

	if (row.alias == 0)
		features_draw_feature(opened, region, y, row.feature);
	else if (x < region.width)
		draw_alias(feature, row.alias - 1, screen_part(region, x, y, region.width - x, 1));
}

static void features_draw_heading(struct pane region)
{
	const struct columns columns = features_arrange(region.width);
	const unsigned x = region.width - columns.name;

	draw_columns(region, 0, &columns, (const char *const[]){"alone", "type", "range", "calls"});
	if (columns.name > 2)
		cell_text_fit(region, x + 2, 0, columns.name - 2,
			      "feature (* in the model, p pinned, x excluded, > plotted)");
	screen_style(region, 0, STYLE_DIM);
}

void view_features_draw(struct explorer *explorer, struct pane region)
{
	struct opened_study *opened = &explorer->opened;
	const unsigned top = region.height >= 4 ? 1 : 0;
	const struct pane rows = screen_part(region, 0, top, region.width, region.height);
	const size_t n = features_count_rows(opened);
	struct scroll *scroll = &opened->features;

	if (top)
		features_draw_heading(region);
	explorer->layout.body = rows;
	scroll_fit_list(scroll, n, rows.height);
	if (n == 0)
		screen_text(rows, 0, 0, STYLE_DIM, "the function has no features");
	for (unsigned y = 0; y < rows.height && scroll->first + y < n; y++) {
		features_draw_row(opened, rows, y, row_at(opened, scroll->first + y));
		if (scroll->first + y == scroll->selected)
			screen_style(rows, y, STYLE_SELECTED);
	}
}

static void unfold(struct explorer *explorer, unsigned feature, bool is_unfolding)
{
	struct opened_study *opened = &explorer->opened;

	if (opened->study->features[feature].n_aliases > 0)
		name_set_assign(&opened->unfolded, opened->study->features[feature].expression,
				is_unfolding);
	view_features_select(explorer, feature);
}

void view_features_act(struct explorer *explorer, enum action action)
{
	struct opened_study *opened = &explorer->opened;
	const unsigned feature = view_features_selected(explorer);

	if (opened->study)
		scroll_list(&opened->features, action, features_count_rows(opened));
	if (action == ACT_LEFT && (feature == STUDY_NONE || !is_unfolded(opened, feature)))
		explorer->view = VIEW_LIST;
	if (feature == STUDY_NONE)
		return;
	if (action == ACT_OPEN) {
		explorer_state_choose_feature(opened, feature);
		explorer->view = VIEW_SCATTER;
	} else if (action == ACT_RIGHT || action == ACT_LEFT) {
		unfold(explorer, feature, action == ACT_RIGHT);
	}
}

bool view_features_click(struct explorer *explorer, unsigned y)
{
	struct opened_study *opened = &explorer->opened;

	if (!opened->study || opened->features.first + y >= features_count_rows(opened))
		return false;
	opened->features.selected = opened->features.first + y;
	return true;
}
