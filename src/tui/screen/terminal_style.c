/* The table of styles. */
#include "terminal_style.h"

#include <stdlib.h>

struct look {
	attr_t attributes;       /* with colours */
	attr_t without;          /* without colours */
	short color, color_many; /* of 8, of 256; -1: the default */
};

static const struct look looks[STYLE_COUNT] = {
	[STYLE_NORMAL] = {A_NORMAL, A_NORMAL, -1, -1},
	[STYLE_TITLE] = {A_BOLD, A_BOLD, -1, -1},
	[STYLE_DIM] = {A_DIM, A_NORMAL, -1, -1},
	[STYLE_SELECTED] = {A_REVERSE, A_REVERSE, -1, -1},
	[STYLE_STATUS] = {A_REVERSE, A_REVERSE, COLOR_BLUE, COLOR_BLUE},
	[STYLE_WARNING] = {A_BOLD, A_BOLD | A_UNDERLINE, COLOR_RED, COLOR_RED},
	[STYLE_KEY] = {A_BOLD, A_BOLD, COLOR_CYAN, COLOR_CYAN},
	[STYLE_CURSOR] = {A_REVERSE | A_BOLD, A_REVERSE | A_BOLD, -1, -1},
	/* Distinguishable with red-green blindness, on white and on black. */
	[STYLE_GROUP] = {A_NORMAL, A_NORMAL, COLOR_BLUE, 33},
	[STYLE_GROUP + 1] = {A_NORMAL, A_BOLD, COLOR_YELLOW, 172},
	[STYLE_GROUP + 2] = {A_NORMAL, A_UNDERLINE, COLOR_GREEN, 35},
	[STYLE_GROUP + 3] = {A_NORMAL, A_BOLD | A_UNDERLINE, COLOR_RED, 167},
	[STYLE_GROUP + 4] = {A_NORMAL, A_NORMAL, COLOR_CYAN, 37},
	[STYLE_GROUP + 5] = {A_NORMAL, A_BOLD, COLOR_MAGENTA, 134},
};

static bool wants_colors(enum terminal_colors colors)
{
	const char *no = getenv("NO_COLOR");

	switch (colors) {
	case TERMINAL_COLORS_AUTO:
		return !no || !*no;
	case TERMINAL_COLORS_NEVER:
		return false;
	case TERMINAL_COLORS_ALWAYS:
		break;
	}
	return true;
}

void terminal_styles_init(struct terminal_styles *styles, enum terminal_colors colors)
{
	short i;

	styles->has_colors = wants_colors(colors) && has_colors() && start_color() == OK &&
			     COLORS >= 8 && COLOR_PAIRS > STYLE_COUNT;
	if (!styles->has_colors)
		return;
	use_default_colors();
	for (i = 0; i < STYLE_COUNT; i++)
		init_pair(i + 1, COLORS >= 256 ? looks[i].color_many : looks[i].color, -1);
}

void terminal_style(const struct terminal_styles *styles, enum style style, attr_t *ret_attributes,
		    short *ret_pair)
{
	const struct look *look = &looks[(unsigned)style % (unsigned)STYLE_COUNT];

	*ret_attributes = styles->has_colors ? look->attributes : look->without;
	*ret_pair = styles->has_colors && look->color >= 0 ? (short)(style + 1) : 0;
}
