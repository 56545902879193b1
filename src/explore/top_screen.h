/*
 * The screen of fathom top: rows with shares, one of which is selected. What they are the caller
 * knows.
 */
#pragma once

#include <stddef.h>

#include "base/err.h"
#include "tui/screen/terminal.h"

struct top_row {
	const char *name, *place; /* place: of the function or line; NULL: unknown */
	double share, self;       /* of all samples; self NAN: a heading's, or not counted */
};

struct top_table {
	const char *title;
	const struct top_row *functions, *lines;
	size_t n_functions, n_lines;
};

enum top_key {
	TOP_NOTHING,
	TOP_QUIT,
	TOP_MEASURE, /* the selected function */
};

struct top_screen;

/* ERR_UNSUPPORTED: the terminal shows nothing. @rescue is borrowed. */
bool top_screen_open(const struct terminal_reset *rescue, enum terminal_colors colors,
		     struct top_screen **ret, struct err *err);
void top_screen_close(struct top_screen *screen); /* NULL is fine */

/* Draw, then wait at most @ms for keys. *@selected: index of a function, by the user. */
enum top_key top_screen_show(struct top_screen *screen, const struct top_table *table, int ms,
			     size_t *selected);
