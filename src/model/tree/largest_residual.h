/*
 * The call that is farthest from what an annotation says, as a note.
 */
#pragma once

#include "core/annotation/annotation.h"
#include "model/data/dataset.h"

/*
 * Which call of @data is away from its expected cost by most deviations, with its id and thread as
 * exported samples have them, in words that live in the annotation's arena; NULL: none is away.
 */
const char *largest_residual_note(const struct annotation *annotation, const struct dataset *data);
