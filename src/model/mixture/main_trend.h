/*
 * Main trends: one curve that many calls follow while the others lie anywhere.
 *
 * No fit of all calls, however robust, finds it when the others are nearly half. So curves through
 * pairs of calls are tried, and the one near most calls is kept. Source: Fischler, Bolles, Random
 * sample consensus, Communications of the ACM 24 (1981); here without sampling: all pairs of some
 * calls.
 */
#pragma once

#include "model/data/dataset.h"

/*
 * Mark in @ret ([n_rows], in the order of the data) the calls near the best curve of one feature
 * with 0, the others with 1. False: too few are near it, or as many could be by chance.
 */
bool main_trend_find(const struct dataset *data, unsigned char *ret);
