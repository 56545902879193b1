/* A note about classes of growth that the samples cannot tell apart. */
#pragma once

#include "core/annotation/annotation.h"
#include "model/data/dataset.h"

/*
 * If @annotation is one formula of one feature, and the feature's range is so narrow that other
 * classes of growth describe @data about as well: a note that names them, in the annotation's
 * arena. Else NULL.
 */
const char *growth_ambiguity_note(const struct annotation *annotation, const struct dataset *data);
