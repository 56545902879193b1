/*
 * Wishes: what a reader wants of the features before a model is made. What he wants in it is
 * feature_selection.c's and partition.c's matter.
 */
#pragma once

#include "base/arena.h"
#include "core/samples/samples.h"
#include "model_options.h"

/*
 * @samples without the features that @options exclude, and those that are equivalent to them. The
 * result borrows the cells and lives in
 * @arena; @samples itself if there is nothing to leave out.
 */
const struct samples *feature_pins_apply(const struct samples *samples, enum metric metric,
					 const struct model_options *options, struct arena *arena);
