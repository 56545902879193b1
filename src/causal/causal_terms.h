/* Gains and annotations together: what a term of a function's cost is worth to the program. */
#pragma once

#include "cli/options.h"
#include "core/causal/causal_gains.h"
#include "profile/profile.h"

/*
 * Of each function that gains for certain and of which the profile has samples of self.time: what
 * is gained if the dearest term of its formula were halved. A line each; nothing if there is none.
 */
void causal_terms_print(struct profile *profile, const struct options *options,
			const struct causal_gains *gains, FILE *out);
