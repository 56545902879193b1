/*
 * The columns of a character.
 */
#ifndef FATHOM_TUI_SCREEN_WIDTH_H
#define FATHOM_TUI_SCREEN_WIDTH_H

#include <stdint.h>

enum columns {
	COLUMNS_MARK, /* none: it is written over the one before */
	COLUMNS_ONE,
	COLUMNS_WIDE, /* two */
	COLUMNS_HIDDEN, /* it would not be seen, and may change what is: something else is shown in its place */
};

enum columns screen_width_of(uint32_t character);

#endif
