/* A note about classes of growth that the samples cannot tell apart. */
#pragma once

#include "core/annotation/annotation.h"
#include "model/data/dataset.h"

/*
 * If the case @at of @annotation is one formula of one feature, and the feature's range there is so
 * narrow that other classes of growth describe these calls of @data about as well: a note that
 * names them, after the case's scope, in the annotation's arena. Else NULL.
 */
const char *growth_ambiguity_note(const struct annotation *annotation, size_t at,
				  const struct dataset *data);
