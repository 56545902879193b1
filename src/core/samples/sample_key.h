/*
 * Consistent sampling: a call is kept or not by the value of a feature alone, so that programs that
 * know nothing of each other keep the same calls.
 *
 * Source: N. Duffield, M. Grossglauser, Trajectory Sampling for Direct Traffic Observation,
 * IEEE/ACM Transactions on Networking 9 (3), 2001.
 */
#pragma once

#include <stdbool.h>

#include "core/value.h"

/* Is @key one of the @share of all values that are kept? What is absent is not. */
bool sample_key_chooses(const struct value *key, double share);
