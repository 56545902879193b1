/*
 * How styles look: colours where the terminal has them, else bold, underlined and reversed.
 */
#ifndef FATHOM_TUI_TERMINAL_STYLE_H
#define FATHOM_TUI_TERMINAL_STYLE_H

#include <ncurses.h>

#include "tui/screen.h"
#include "tui/terminal.h"

struct terminal_styles {
	bool has_colors;
};

/* ncurses has its terminal. */
void terminal_styles_init(struct terminal_styles *styles, enum terminal_colors colors);

void terminal_style(const struct terminal_styles *styles, enum style style, attr_t *ret_attributes,
		    short *ret_pair);

#endif
