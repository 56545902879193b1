/*
 * All metrics of one function, so that their models tell one story.
 *
 * What `time` depends on is often better seen in metrics with less noise: so its model names the
 * features of those of `instructions`, `cpu`, `mem`, `peak` and the page faults where they explain
 * it about as well as any other. And where time follows another metric more closely than any
 * feature (faults that go to a disk, waiting for locks), a note says so.
 */
#pragma once

#include "model_build.h"

/*
 * The annotations of the metrics in @metrics, bits 1 << enum metric, in the order of the metrics,
 * in @ret, which has METRIC_COUNT places; returns how many. The caller owns them. One of time is
 * the same whatever else is asked for.
 */
size_t metric_models_build(const struct samples *samples, unsigned metrics,
			   const struct model_options *options, struct annotation **ret);
