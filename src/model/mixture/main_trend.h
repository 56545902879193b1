/*
 * Main trends: many calls on one law, while the others are anywhere.
 *
 * A fit of all calls sees nothing of it, however robust, when the others are nearly half. So laws
 * are taken from pairs of calls, and the one is kept that passes near most calls. Source: Fischler,
 * Bolles, Random sample consensus, Communications of the ACM 24 (1981); here all pairs of some
 * calls, by no chance.
 */
#pragma once

#include "model/data/dataset.h"

/*
 * The calls near the law of one feature that most are near, in @ret ([n_rows], in the order of the
 * data): 0, the others: 1. False: there are too few of them, or as many may be near such a law by
 * accident.
 */
bool main_trend_find(const struct dataset *data, unsigned char *ret);
