/*
 * Excluded features: removed before modelling. feature_selection.c and partition.c see to pinned
 * ones.
 */
#pragma once

#include "base/arena.h"
#include "core/samples/samples.h"
#include "model_options.h"

/*
 * @samples without the features that @options exclude and their equivalents; @samples itself if
 * none. The result borrows the cells and lives in @arena.
 */
const struct samples *feature_pins_apply(const struct samples *samples, enum metric metric,
					 const struct model_options *options, struct arena *arena);
