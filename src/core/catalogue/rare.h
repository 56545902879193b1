/*
 * Features and branches that have not mattered so far (is_rare) are read in a tenth of the calls,
 * which chance chooses.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { RARE_OF = 1024, RARE_TENTH = 102 };

/* Is a call of this rank, a uniform chance, in the tenth? */
static inline bool rare_is_read(uint32_t rank)
{
	return rank % RARE_OF < RARE_TENTH;
}
