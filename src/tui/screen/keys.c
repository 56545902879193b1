/* The table of keys; explorer.c and the views perform the actions. */
#include "keys.h"

#include <stdbool.h>
#include <stdio.h>

#include "input.h"

#define IN(view) (1u << VIEW_##view)
#define PLOTS    (IN(SCATTER) | IN(RESIDUALS) | IN(HISTOGRAM))
#define POINTS   (IN(SCATTER) | IN(RESIDUALS))
#define ROWS \
	(IN(LIST) | IN(TREE) | IN(FEATURES) | IN(SAMPLES) | IN(CALLS) | IN(SOURCE) | IN(TIMELINE))
#define WHOLE        (IN(HELP) | IN(GAINS))
#define TEXTS        (IN(ANNOTATION) | IN(CALL) | WHOLE)
#define MORE         (IN(ANNOTATION) | IN(CALLS) | IN(SOURCE))
#define TABS         (PLOTS | IN(TREE) | IN(FEATURES) | IN(SAMPLES) | MORE)
#define EVERYWHERE   ((1u << VIEW_COUNT) - 1)
#define CTRL(letter) ((letter) - '@')
#define SPACE        ' '

/* Rows are in the order of the line of keys; the first row with the key and view applies. */
static const struct key_binding bindings[] = {
	{ACT_HELP, {'?'}, EVERYWHERE & ~IN(HELP), "help", "what the keys do"},
	{ACT_BACK,
	 {'q', EXPLORER_ESCAPE, EXPLORER_BACKSPACE},
	 EVERYWHERE & ~IN(LIST) & ~IN(HELP),
	 "back",
	 "back to where you came from"},
	{ACT_BACK,
	 {'q', EXPLORER_ESCAPE, '?', EXPLORER_LEFT},
	 IN(HELP),
	 "back",
	 "back to where you came from"},
	{ACT_QUIT, {'q', 'Q'}, IN(LIST), "quit", "leave"},
	{ACT_OPEN, {EXPLORER_ENTER, EXPLORER_RIGHT, 'l'}, IN(LIST), "open", "look at the function"},
	{ACT_OPEN, {EXPLORER_ENTER}, IN(TREE), "fold", "fold or unfold the part"},
	{ACT_OPEN, {EXPLORER_ENTER}, IN(FEATURES), "plot", "the scatter over this feature"},
	{ACT_OPEN, {EXPLORER_ENTER}, IN(SAMPLES), "call", "all that is known of the call"},
	{ACT_OPEN, {EXPLORER_ENTER}, POINTS, "call", "all that is known of the chosen call"},
	{ACT_FILTER, {'/'}, IN(LIST), "filter", "show only names that have what is typed"},
	{ACT_OPEN, {EXPLORER_ENTER, EXPLORER_RIGHT, 'l'}, IN(CALLS), "open", "open that function"},
	{ACT_SORT, {'o'}, IN(LIST), "sort", "order by the next column"},
	{ACT_SORT, {'o'}, IN(SAMPLES), "sort", "order by this column"},
	{ACT_COLUMNS, {'c'}, IN(LIST), "columns", "other columns: models, costs, before and now"},
	{ACT_SIDE_LEFT, {'<'}, IN(LIST), NULL, "names: their beginnings again"},
	{ACT_SIDE_RIGHT, {'>'}, IN(LIST), NULL, "names: what is to the right of the screen"},
	{ACT_NEXT_FOUND, {'n'}, IN(LIST), NULL, "the next that has what was typed"},
	{ACT_PREVIOUS_FOUND, {'N'}, IN(LIST), NULL, "the one before"},
	{ACT_REVERSE, {'O'}, IN(LIST) | IN(SAMPLES), "reverse", "turn the order around"},
	{ACT_NEXT_VIEW, {EXPLORER_TAB}, TABS, "next view", "the next view"},
	{ACT_PREVIOUS_VIEW, {EXPLORER_BACK_TAB}, TABS, NULL, "the view before"},
	{ACT_NEXT_FEATURE,
	 {'f', ']'},
	 TABS & ~IN(SAMPLES),
	 "feature",
	 "plot over the next feature"},
	{ACT_PREVIOUS_FEATURE,
	 {'F', '['},
	 TABS & ~IN(SAMPLES),
	 NULL,
	 "plot over the feature before"},
	{ACT_NEXT_METRIC, {'m'}, TABS, "metric", "the next metric of the function"},
	{ACT_PREVIOUS_METRIC, {'M'}, TABS, NULL, "the metric before"},
	{ACT_PIN,
	 {'p'},
	 POINTS | IN(FEATURES),
	 "pin",
	 "pin the feature: the model should name it; or not"},
	{ACT_EXCLUDE,
	 {'x'},
	 POINTS | IN(FEATURES),
	 "exclude",
	 "exclude the feature from the model; or not"},
	{ACT_ZOOM_IN, {'+', '='}, PLOTS, "zoom", "zoom in, on the cursor if there is one"},
	{ACT_ZOOM_OUT, {'-', '_'}, PLOTS, NULL, "zoom out"},
	{ACT_LOG_X, {'X'}, PLOTS, "log x", "the x axis logarithmic, or linear again"},
	{ACT_LOG_Y, {'Y'}, PLOTS, "log y", "the y axis logarithmic, or linear again"},
	{ACT_RESET, {'0'}, PLOTS, "reset", "show all of it again, without a cursor"},
	{ACT_RESET, {'0'}, IN(TREE), NULL, "show all parts in the scatter again"},
	{ACT_RESTRICT,
	 {'t'},
	 IN(TREE),
	 "only this",
	 "only this part of the calls in the scatter; or all"},
	{ACT_TIMELINE,
	 {'t'},
	 POINTS | IN(SAMPLES) | IN(CALL),
	 "time line",
	 "what was called in the call, and in servers for it, and when"},
	{ACT_LETTERS, {'.'}, PLOTS, "letters", "points as letters of their cases, or dots again"},
	{ACT_SEARCH, {'/'}, EVERYWHERE & ~IN(LIST), "search", "look for what is typed"},
	{ACT_EDIT, {'e'}, EVERYWHERE & ~WHOLE, "edit", "open $EDITOR at the line"},
	{ACT_PAN_LEFT, {'H'}, PLOTS, NULL, "move the part that is shown to the left"},
	{ACT_PAN_RIGHT, {'L'}, PLOTS, NULL, "move it to the right"},
	{ACT_PAN_UP, {'K'}, PLOTS, NULL, "move it up"},
	{ACT_PAN_DOWN, {'J'}, PLOTS, NULL, "move it down"},
	{ACT_UP, {EXPLORER_UP, 'k'}, POINTS, NULL, "the cursor: to a point above"},
	{ACT_DOWN, {EXPLORER_DOWN, 'j'}, POINTS, NULL, "the cursor: to a point below"},
	{ACT_LEFT, {EXPLORER_LEFT, 'h'}, POINTS, NULL, "the cursor: to a point on the left"},
	{ACT_RIGHT, {EXPLORER_RIGHT, 'l'}, POINTS, NULL, "the cursor: to a point on the right"},
	{ACT_NEXT_CALL,
	 {'n'},
	 POINTS | IN(CALL),
	 "next call",
	 "the next call in order of x, or the next that has what is looked for"},
	{ACT_PREVIOUS_CALL, {'N'}, POINTS | IN(CALL), NULL, "the call before"},
	{ACT_NEXT_FOUND,
	 {'n'},
	 EVERYWHERE & ~IN(LIST) & ~POINTS & ~IN(CALL),
	 NULL,
	 "the next place that has what is looked for"},
	{ACT_PREVIOUS_FOUND,
	 {'N'},
	 EVERYWHERE & ~IN(LIST) & ~POINTS & ~IN(CALL),
	 NULL,
	 "the place before"},
	{ACT_UP, {EXPLORER_UP, 'k'}, ROWS | TEXTS, NULL, "up"},
	{ACT_DOWN, {EXPLORER_DOWN, 'j'}, ROWS | TEXTS, NULL, "down"},
	{ACT_LEFT, {EXPLORER_LEFT, 'h'}, IN(SAMPLES), NULL, "the column on the left"},
	{ACT_RIGHT, {EXPLORER_RIGHT, 'l'}, IN(SAMPLES), NULL, "the column on the right"},
	{ACT_LEFT,
	 {EXPLORER_LEFT, 'h'},
	 IN(TREE) | IN(FEATURES),
	 NULL,
	 "fold; back where nothing is unfolded"},
	{ACT_RIGHT,
	 {EXPLORER_RIGHT, 'l'},
	 IN(TREE) | IN(FEATURES),
	 "unfold",
	 "unfold: parts of a part, equivalent features"},
	{ACT_PAGE_UP, {EXPLORER_PAGE_UP, CTRL('B'), CTRL('U')}, ROWS | TEXTS, NULL, "a page up"},
	{ACT_PAGE_DOWN,
	 {EXPLORER_PAGE_DOWN, CTRL('F'), CTRL('D'), SPACE},
	 ROWS | TEXTS,
	 NULL,
	 "a page down"},
	{ACT_FIRST, {EXPLORER_HOME, 'g'}, ROWS | TEXTS, NULL, "to the beginning"},
	{ACT_LAST, {EXPLORER_END, 'G'}, ROWS | TEXTS, NULL, "to the end"},
	{ACT_TEXT_UP, {'{', EXPLORER_PAGE_UP}, PLOTS, NULL, "scroll the text beside up"},
	{ACT_TEXT_DOWN, {'}', EXPLORER_PAGE_DOWN}, PLOTS, NULL, "scroll the text beside down"},
	{ACT_SAVE,
	 {'s'},
	 EVERYWHERE & ~WHOLE,
	 "save",
	 "save what is shown: SVG, CSV or annotation"},
	{ACT_SAVE_ANNOTATION, {'A'}, EVERYWHERE & ~WHOLE, NULL, "save the annotation"},
	{ACT_SAVE_CSV, {'C'}, EVERYWHERE & ~WHOLE, NULL, "save the samples (CSV)"},
	{ACT_VIEW, {'1'}, TABS, NULL, "metric over feature", VIEW_SCATTER},
	{ACT_VIEW, {'2'}, TABS, NULL, "what the models leave over", VIEW_RESIDUALS},
	{ACT_VIEW, {'3'}, TABS, NULL, "how the calls distribute", VIEW_HISTOGRAM},
	{ACT_VIEW, {'4'}, TABS, NULL, "how the calls are parted into cases", VIEW_TREE},
	{ACT_VIEW, {'5'}, TABS, NULL, "the features, by what they explain", VIEW_FEATURES},
	{ACT_VIEW, {'6'}, TABS, NULL, "the calls as a table", VIEW_SAMPLES},
	{ACT_VIEW, {'7'}, TABS, NULL, "the annotation as text", VIEW_ANNOTATION},
	{ACT_VIEW, {'8'}, TABS, NULL, "who calls it, and what it calls", VIEW_CALLS},
	{ACT_VIEW, {'9'}, TABS, NULL, "its source, beside what it costs", VIEW_SOURCE},
	{ACT_VIEW,
	 {'w'},
	 EVERYWHERE & ~WHOLE,
	 NULL,
	 "what the program gains if code gets faster",
	 VIEW_GAINS},
	{ACT_BACK,
	 {EXPLORER_LEFT, 'h'},
	 IN(HISTOGRAM) | MORE | IN(CALL) | IN(TIMELINE) | IN(GAINS),
	 NULL,
	 "back"},
	{ACT_BACK, {EXPLORER_ESCAPE}, IN(LIST), NULL, "forget the filter"},
	{ACT_QUIT, {'Q'}, EVERYWHERE & ~IN(LIST), NULL, "leave"},
	{ACT_REDRAW, {CTRL('L')}, EVERYWHERE, NULL, "draw the screen anew"},
	{ACT_SUSPEND, {CTRL('Z')}, EVERYWHERE, NULL, "stop, until the shell says fg"},
};

enum { BINDINGS = sizeof(bindings) / sizeof(bindings[0]) };

const struct key_binding *keys_binding(size_t i)
{
	return i < BINDINGS ? &bindings[i] : NULL;
}

static bool has_key(const struct key_binding *binding, uint32_t key)
{
	for (size_t i = 0; i < KEYS_MAX && binding->keys[i]; i++)
		if (binding->keys[i] == key)
			return true;
	return false;
}

const struct key_binding *keys_find(enum view view, uint32_t key)
{
	for (size_t i = 0; i < BINDINGS && key; i++)
		if (bindings[i].views & 1u << view && has_key(&bindings[i], key))
			return &bindings[i];
	return NULL;
}

void keys_name(uint32_t key, char ret[KEY_NAME])
{
	static const char *const names[EXPLORER_KEY_COUNT - KEY_FIRST] = {
		[EXPLORER_UP - KEY_FIRST] = "Up",
		[EXPLORER_DOWN - KEY_FIRST] = "Down",
		[EXPLORER_LEFT - KEY_FIRST] = "Left",
		[EXPLORER_RIGHT - KEY_FIRST] = "Right",
		[EXPLORER_PAGE_UP - KEY_FIRST] = "PgUp",
		[EXPLORER_PAGE_DOWN - KEY_FIRST] = "PgDn",
		[EXPLORER_HOME - KEY_FIRST] = "Home",
		[EXPLORER_END - KEY_FIRST] = "End",
		[EXPLORER_ENTER - KEY_FIRST] = "Enter",
		[EXPLORER_ESCAPE - KEY_FIRST] = "Esc",
		[EXPLORER_BACKSPACE - KEY_FIRST] = "Backspace",
		[EXPLORER_TAB - KEY_FIRST] = "Tab",
		[EXPLORER_BACK_TAB - KEY_FIRST] = "Shift-Tab",
		[EXPLORER_RESIZE - KEY_FIRST] = "",
	};

	if (key >= KEY_FIRST && key < EXPLORER_KEY_COUNT)
		snprintf(ret, KEY_NAME, "%s", names[key - KEY_FIRST]);
	else if (key == SPACE)
		snprintf(ret, KEY_NAME, "Space");
	else if (key < SPACE)
		snprintf(ret, KEY_NAME, "Ctrl-%c", (char)(key + '@'));
	else
		snprintf(ret, KEY_NAME, "%c", key < 0x7f ? (char)key : '?');
}

static const struct {
	const char *name, *shorter;
} view_names[VIEW_COUNT] = {
	[VIEW_LIST] = {"Functions", "Functions"},
	[VIEW_SCATTER] = {"Scatter", "Scatter"},
	[VIEW_RESIDUALS] = {"Residuals", "Resid"},
	[VIEW_HISTOGRAM] = {"Histogram", "Histo"},
	[VIEW_TREE] = {"Tree", "Tree"},
	[VIEW_FEATURES] = {"Features", "Features"},
	[VIEW_SAMPLES] = {"Samples", "Samples"},
	[VIEW_ANNOTATION] = {"Annotation", "Annot"},
	[VIEW_CALLS] = {"Calls", "Calls"},
	[VIEW_SOURCE] = {"Source", "Source"},
	[VIEW_CALL] = {"Call", "Call"},
	[VIEW_TIMELINE] = {"Time line", "Time"},
	[VIEW_GAINS] = {"Gains", "Gains"},
	[VIEW_HELP] = {"Keys", "Keys"},
};

const char *keys_view_name(enum view view)
{
	return view_names[view].name;
}

const char *keys_view_short(enum view view)
{
	return view_names[view].shorter;
}
