/*
 * Are components of a mixture modes of calls? Each must be narrow, apart from the others, and of
 * more than a few calls.
 */
#pragma once

#include "mixture_formulas.h"

/* @components are refined. */
bool mode_separation_holds(const struct dataset *data, const struct mixture_formulas *components);

/*
 * If most calls follow a formula and the others, which cost more, follow none: that formula is the
 * main trend (heuristic M, for times), with R2 of all calls. False: nothing is changed.
 */
bool mode_separation_take_trend(const struct dataset *data, struct mixture_formulas *components);
