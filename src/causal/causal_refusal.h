/* Why there is no causal profile. */
#pragma once

#include "causal_profile.h"
#include "core/causal/causal_gains.h"

/* A phrase, in the profile's arena; NULL: there are gains. */
const char *causal_refusal(const struct causal_profile *profile, const struct causal_gains *gains);
