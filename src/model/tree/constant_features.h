/*
 * What never varied, as a note.
 */
#pragma once

#include "base/arena.h"
#include "model/data/dataset.h"

/*
 * Which features had one value in all calls, and which, in words that live in @arena: a few that
 * somebody could have meant to vary are named, the others counted. NULL: there is none to name.
 */
const char *constant_features_note(struct arena *arena, const struct dataset *data);
