/* A note about the call that is farthest from an annotation's prediction. */
#pragma once

#include "core/annotation/annotation.h"
#include "model/data/dataset.h"

/*
 * A note about the call of @data with the largest residual in deviations, with its id and thread as
 * in exported samples; in the annotation's arena. NULL: none is far away.
 */
const char *largest_residual_note(const struct annotation *annotation, const struct dataset *data);
