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

/* Call once before many models are built, or any by several threads at the same time. */
void model_build_prepare(void);
