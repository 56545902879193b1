/*
 * Words: integers widened to the 64 bits that steps of read plans compute with. Private to
 * function_features.h.
 */
#pragma once

#include "members.h"

/*
 * Append what makes the integer of type @type at @at, a bit-field if @bits says so, the top of the
 * stack, with its sign. @at is LOCATION_ABSENT after that if it is nowhere.
 */
void widen_load(const struct type *type, const struct member_bits *bits, struct location *at);
