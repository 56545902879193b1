/* What part of their time merged calls spent where. */
#pragma once

#include "samples.h"

enum { CALL_PARTS_TEXT = 400 };

/*
 * "own 1 % + server 97 % (handle 90 %, look_up 7 %) + network 2 %", of the calls whose parts are
 * known, and how many these are; with "own and network" where they were not told apart. False:
 * there are none.
 */
bool call_parts_text(const struct samples *samples, char ret[CALL_PARTS_TEXT], size_t *ret_n);
