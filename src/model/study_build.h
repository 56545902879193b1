/*
 * Making studies: see core/figure/study.h.
 */
#pragma once

#include "core/figure/study.h"
#include "model_build.h"

/*
 * The study of @metric from @samples, to which derived_columns_add() was applied, and which must
 * live as long. @annotation is taken: one that metric_models_build() or model_build() has made of
 * these samples and @options; NULL: it is made here. It never fails.
 */
struct study *study_build(const struct samples *samples, enum metric metric,
			  const struct model_options *options, struct annotation *annotation);
