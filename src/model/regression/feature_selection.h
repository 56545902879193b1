/*
 * Selection: which predictors, and which models of them, are worth a final fit.
 */
#pragma once

#include "candidate.h"

struct selection {
	struct candidate candidates[BASIS_FEATURES]; /* the best first, then simpler ones */
	unsigned n;                                  /* 0: no predictor explains anything */
};

/* @kin: predictors that are correlated as strongly are hardly ever both needed. */
void feature_selection_candidates(const struct dataset *data, double kin, struct selection *ret);
