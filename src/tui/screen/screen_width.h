/*
 * The columns of a character.
 */
#pragma once

#include <stdint.h>

enum columns {
	COLUMNS_MARK, /* none: it is written over the one before */
	COLUMNS_ONE,
	COLUMNS_WIDE, /* two */
	/* it would not be seen, and may change what is: something else is shown in its place */
	COLUMNS_HIDDEN,
};

enum columns screen_width_of(uint32_t character);
