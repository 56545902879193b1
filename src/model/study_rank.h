/*
 * The features of a study, by what each explains alone.
 */
#ifndef FATHOM_MODEL_STUDY_RANK_H
#define FATHOM_MODEL_STUDY_RANK_H

#include "core/study.h"
#include "model/options.h"

/* Set the features of @study, whose annotation and points are there. */
void study_rank(struct study *study, const struct model_options *options);

#endif
