/*
 * Selection: which predictors, and which models of them, are worth a final fit.
 */
#ifndef FATHOM_MODEL_SELECT_H
#define FATHOM_MODEL_SELECT_H

#include "model/candidate.h"

enum { SELECTED_MAX = 2 };

struct selection {
	struct candidate candidates[SELECTED_MAX]; /* the best first, then simpler ones */
	unsigned n;                                /* 0: no predictor explains anything */
};

void select_candidates(const struct data *data, struct selection *ret);

#endif
