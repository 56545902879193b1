/*
 * Free growths: a constant and a power of one feature whose exponent is estimated, or an
 * exponential whose base is.
 *
 * They must beat all sums of fixed growths beyond chance, and those with the logarithms that caches
 * add to them; nothing smooth may be left; and the exponent's interval must hold no power that is a
 * class of its own.
 */
#pragma once

#include "candidate.h"

/* The likelier of both for @predictor, in @ret, with the interval. False: there is none. */
bool free_growth_find(const struct dataset *data, size_t predictor, struct candidate *ret);
