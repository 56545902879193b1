/* Keys: one table of what each does, in which views, and its words for the user. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum view {
	VIEW_LIST,
	VIEW_SCATTER, /* the function's views, in the order of their tabs */
	VIEW_RESIDUALS,
	VIEW_HISTOGRAM,
	VIEW_TREE,
	VIEW_FEATURES,
	VIEW_SAMPLES,
	VIEW_ANNOTATION,
	VIEW_CALLS, /* callers and callees */
	VIEW_SOURCE,
	VIEW_CALL,     /* of the point under the cursor; has no tab, nor have the next */
	VIEW_TIMELINE, /* what was called in that call, and when */
	VIEW_GAINS,    /* of the program, if its code got faster */
	VIEW_HELP,
	VIEW_COUNT,
	VIEW_FIRST_TAB = VIEW_SCATTER,
	VIEW_LAST_TAB = VIEW_SOURCE,
};

enum action {
	ACT_NOTHING,
	ACT_OPEN,
	ACT_UP,
	ACT_DOWN,
	ACT_LEFT,
	ACT_RIGHT,
	ACT_PAGE_UP,
	ACT_PAGE_DOWN,
	ACT_FIRST,
	ACT_LAST,
	ACT_FILTER,
	ACT_SEARCH,
	ACT_NEXT_FOUND,
	ACT_PREVIOUS_FOUND,
	ACT_COLUMNS,
	ACT_SIDE_LEFT,
	ACT_SIDE_RIGHT,
	ACT_EDIT,
	ACT_SORT,
	ACT_REVERSE,
	ACT_NEXT_CALL,
	ACT_PREVIOUS_CALL,
	ACT_NEXT_FEATURE,
	ACT_PREVIOUS_FEATURE,
	ACT_NEXT_METRIC,
	ACT_PREVIOUS_METRIC,
	ACT_LOG_X,
	ACT_LOG_Y,
	ACT_ZOOM_IN,
	ACT_ZOOM_OUT,
	ACT_PAN_LEFT,
	ACT_PAN_DOWN,
	ACT_PAN_UP,
	ACT_PAN_RIGHT,
	ACT_RESET,
	ACT_LETTERS,
	ACT_RESTRICT,
	ACT_TIMELINE,
	ACT_PIN,
	ACT_EXCLUDE,
	ACT_TEXT_UP,
	ACT_TEXT_DOWN,
	ACT_NEXT_VIEW,
	ACT_PREVIOUS_VIEW,
	ACT_VIEW, /* to key_binding's `view` */
	ACT_SAVE,
	ACT_SAVE_ANNOTATION,
	ACT_SAVE_CSV,
	ACT_HELP,
	ACT_BACK,
	ACT_QUIT,
	ACT_REDRAW,
	ACT_SUSPEND,
};

enum { KEYS_MAX = 4 };

struct key_binding {
	enum action action;
	uint32_t keys[KEYS_MAX]; /* code points and enum explorer_key, up to a 0 */
	unsigned views;          /* bits of the views where it applies */
	const char *word;        /* in the line of keys; NULL: not there */
	const char *help;        /* a phrase */
	enum view view;          /* of ACT_VIEW */
};

/* The binding of @key in @view; NULL: none. */
const struct key_binding *keys_find(enum view view, uint32_t key);

/* Row @i of the table; NULL: past the end. */
const struct key_binding *keys_binding(size_t i);

enum { KEY_NAME = 16 };
/* "Enter", "Ctrl-L", "x". */
void keys_name(uint32_t key, char ret[KEY_NAME]);

const char *keys_view_name(enum view view); /* of a tab or a title: "Scatter" */
/* The same for a narrow screen. */
const char *keys_view_short(enum view view);
