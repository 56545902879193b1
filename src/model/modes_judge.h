/*
 * Are components modes of calls? Each must be seen to be one: narrow, apart from the others, of more than a few calls.
 */
#ifndef FATHOM_MODEL_MODES_JUDGE_H
#define FATHOM_MODEL_MODES_JUDGE_H

#include "model/components.h"

/* The components were refined. */
bool mode_separation_holds(const struct dataset *data, const struct mixture_formulas *components);

/*
 * If most calls follow a formula and the others, which are dearer, no law at all: leave that one in @components, as the main trend
 * (heuristic M, for metrics of time). False: it is not so, and nothing is changed.
 */
bool mode_separation_take_trend(const struct dataset *data, struct mixture_formulas *components);

#endif
