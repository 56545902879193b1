/*
 * Building an annotation from samples.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "core/samples/samples.h"
#include "model/data/model_options.h"

/*
 * The annotation of @metric from @samples. It never fails: where no model can be made, the
 * annotation has no cases and a note says why. The same samples give the same annotation, whatever
 * the order of rows and columns. The caller owns the result.
 */
struct annotation *model_build(const struct samples *samples, enum metric metric,
			       const struct model_options *options);

/* From now on several threads may make models at the same time. */
void model_build_allow_threads(void);
