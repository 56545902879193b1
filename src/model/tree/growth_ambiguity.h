/*
 * Which classes of growth the samples cannot tell apart, as a note.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "model/data/dataset.h"

/*
 * Where @annotation is one formula of one feature, whose range is so narrow that other classes of
 * growth describe @data about as well: which, in words that live in the annotation's arena. Else
 * NULL.
 */
const char *growth_ambiguity_note(const struct annotation *annotation, const struct dataset *data);
