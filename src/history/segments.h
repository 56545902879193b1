/*
 * At which points of a series did its level change? Binary segmentation: the split at which the
 * means before and behind differ most, in standard errors, is a change if permutations of the
 * points rarely have such a one; then the same on both sides.
 *
 * A series without any change is called changed with the probability @alpha at most, whatever its
 * distribution, as its points are then exchangeable. Slow drifts are steps. Source: A. Sen, M.
 * Srivastava, On Tests for Detecting Change in Mean (1975); permutations as in D. Matteson, N.
 * James, A Nonparametric Approach for Multiple Change Point Analysis (2014).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Set @ret[i] where the level from point i on is another than before it; returns how many. */
size_t segments_find(const double *series, size_t n, double alpha, bool *ret);

/* The fewest points of which permutations can tell a change with @alpha. */
size_t segments_least(double alpha);
