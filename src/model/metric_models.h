/*
 * Models all metrics of one function so that they tell one story.
 *
 * Less noisy metrics (`instructions`, `cpu`, `mem`, `peak`, page faults) often show better what
 * `time` depends on: its model names their features where these explain it about as well as any
 * other. Where time follows another metric (disk faults, lock waits) more closely than any feature,
 * a note says so. The time of merged calls is the sum of its parts, and so, if possible, is its
 * model (tree/parts_sum.h).
 */
#pragma once

#include "model_build.h"

/*
 * Build the annotations of @metrics (bits 1 << enum metric), in the order of the metrics, into @ret
 * ([METRIC_COUNT]); returns their number. The caller owns them. The annotation of time does not
 * depend on which other metrics are requested.
 */
size_t metric_models_build(const struct samples *samples, uint64_t metrics,
			   const struct model_options *options, struct annotation **ret);
