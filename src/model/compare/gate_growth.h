/* The gate of growth: does a cost grow faster with its features than it did? */
#pragma once

#include "gates.h"

/*
 * Does the cost grow faster than in @before, or with another feature, and does the curve of @before
 * fit the new samples worse than that of @now, beyond chance (@alpha)?
 */
void gate_growth_judge(const struct annotation *before, const struct annotation *now,
		       const struct samples *samples, double alpha, struct arena *arena,
		       struct gate *ret);
