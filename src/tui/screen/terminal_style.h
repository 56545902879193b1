/*
 * How styles look: colours where the terminal has them, else bold, underlined and reversed.
 */
#pragma once

#include <ncurses.h>

#include "screen.h"
#include "terminal.h"

struct terminal_styles {
	bool has_colors;
};

/* Call after ncurses has its terminal. */
void terminal_styles_init(struct terminal_styles *styles, enum terminal_colors colors);

void terminal_style(const struct terminal_styles *styles, enum style style, attr_t *ret_attributes,
		    short *ret_pair);
