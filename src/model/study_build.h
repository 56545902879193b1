/* Builds studies: see core/figure/study.h. */
#pragma once

#include "core/figure/study.h"
#include "model_build.h"

/*
 * The study of @metric. @samples must have passed derived_columns_add() and outlive the study.
 * Takes @annotation, built from these @samples and @options; NULL: builds it. Never fails.
 */
struct study *study_build(const struct samples *samples, enum metric metric,
			  const struct model_options *options, struct annotation *annotation);
