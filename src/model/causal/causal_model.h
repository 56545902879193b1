/*
 * From experiments to gains: a slope for each unit, with its interval, a plateau, and what takes
 * over there.
 *
 * The unit of chance is the pair: what happens to the machine happens to both of its experiments.
 * Costs are compared as logarithms of their ratio.
 */
#pragma once

#include <stdint.h>

#include "core/causal/causal_gains.h"

struct causal_model_options {
	size_t progress;  /* what is to be gained: an index of the experiments' */
	double tolerance; /* slopes up to it are as good as 0 */
	uint64_t seed;    /* of the bootstrap */
};

/* @experiments is borrowed by the result. Never fails: without a usable pair it has no gain. */
struct causal_gains *causal_model_build(const struct experiments *experiments,
					const struct causal_model_options *options);
