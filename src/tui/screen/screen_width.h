/*
 * The columns of a character.
 */
#pragma once

#include <stdint.h>

enum columns {
	COLUMNS_MARK, /* none: combines with the one before */
	COLUMNS_ONE,
	COLUMNS_WIDE, /* two */
	/* invisible, and may change other text: a substitute is shown */
	COLUMNS_HIDDEN,
};

enum columns screen_width_of(uint32_t character);
