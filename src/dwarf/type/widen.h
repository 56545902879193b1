/*
 * Widens integers to the 64 bits that steps of read plans compute with. Private to
 * feature_list.h.
 */
#pragma once

#include "members.h"

/*
 * Append steps that leave the integer of type @type at @at (a bit-field if @bits says so),
 * sign-extended, on the stack. @at becomes LOCATION_ABSENT if it is nowhere.
 */
void widen_load(const struct type *type, const struct member_bits *bits, struct location *at);
