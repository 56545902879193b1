/* Selection: the predictors, and models of them, worth a final fit. */
#pragma once

#include "candidate.h"

enum { SELECTION_STRONGEST = 2 };

struct selection {
	struct candidate candidates[BASIS_FEATURES]; /* the best first, then simpler ones */
	unsigned n;                                  /* nothing explains anything */
	/* The features of the program that alone explain most, the best first. */
	size_t strongest[SELECTION_STRONGEST];
	unsigned n_strongest;
};

/* @kin: the correlation from which two predictors are rarely both needed. */
void feature_selection_candidates(const struct dataset *data, double kin, struct selection *ret);
