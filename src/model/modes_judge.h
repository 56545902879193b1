/*
 * Are components modes of calls? Each must be seen to be one: narrow, apart from the others, of more than a few calls.
 */
#ifndef FATHOM_MODEL_MODES_JUDGE_H
#define FATHOM_MODEL_MODES_JUDGE_H

#include "model/components.h"

/* The components were refined. */
bool modes_are_apart(const struct data *data, const struct components *components);

/*
 * If most calls follow a formula and the others, which are dearer, no law at all: leave that one in @components, as the main trend
 * (heuristic M, for metrics of time). False: it is not so, and nothing is changed.
 */
bool modes_take_trend(const struct data *data, struct components *components);

#endif
