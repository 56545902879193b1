/*
 * The features of a study, by what each explains alone.
 */
#pragma once

#include "core/figure/study.h"
#include "model/data/model_options.h"

/* Set the features of @study; its annotation and points are set already. */
void study_rank(struct study *study, const struct model_options *options);
