/* Builds an annotation from samples. */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "model/data/model_options.h"

/*
 * Never fails: without a model the annotation has no cases, and a note says why. The same samples
 * give the same annotation, in any order of rows and columns. The caller owns it.
 */
struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options);

/* Call before several threads build models at the same time. */
void model_build_allow_threads(void);
