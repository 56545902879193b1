/* What is gained by how much faster units of code get, as a picture. */
#pragma once

#include "core/causal/causal_gains.h"
#include "figure.h"

/*
 * Gains in % over how much faster a unit is, in % (over how many times the work, of loads), with
 * 95 %. Units that gain for certain come first; at most eight are shown, the caption tells of
 * others. NULL: nothing was tried at two speedups or more.
 */
struct figure *figure_gains(const struct causal_gains *gains);
