/*
 * The call that is farthest from what an annotation says, as a note.
 */
#ifndef FATHOM_MODEL_FARTHEST_H
#define FATHOM_MODEL_FARTHEST_H

#include "core/annotation.h"
#include "model/data.h"

/*
 * Which call of @data is away from its expected cost by most deviations, with its id and thread as exported samples have them, in words
 * that live in the annotation's arena; NULL: none is away.
 */
const char *largest_residual_note(const struct annotation *annotation, const struct dataset *data);

#endif
