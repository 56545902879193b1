/* The formulas of two annotations as one picture, without their samples. */
#pragma once

#include "figure.h"

/*
 * What calls cost by @old and by @now, with the intervals that hold 95 % of them, over the feature
 * that a formula uses first, in the range that either observed; other features are in the middle of
 * theirs, which the caption says. NULL: no formula of them can be drawn.
 */
struct figure *figure_compare(const struct annotation *old, const struct annotation *now);
