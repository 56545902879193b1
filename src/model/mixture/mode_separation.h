/*
 * Are components modes of calls? Each must be seen to be one: narrow, apart from the others, of
 * more than a few calls.
 */
#pragma once

#include "mixture_formulas.h"

/* The components were refined. */
bool mode_separation_holds(const struct dataset *data, const struct mixture_formulas *components);

/*
 * If most calls follow a formula and the others, which are dearer, no law at all: leave that one in
 * @components, as the main trend (heuristic M, for metrics of time). False: it is not so, and
 * nothing is changed.
 */
bool mode_separation_take_trend(const struct dataset *data, struct mixture_formulas *components);
