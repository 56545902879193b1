/* A note about features that never varied. */
#pragma once

#include "base/arena.h"
#include "model/data/dataset.h"

/*
 * A note, in @arena, about features with one value in all calls: it names a few that a user could
 * have meant to vary, and counts the others. NULL: there is none to name.
 */
const char *constant_features_note(struct arena *arena, const struct dataset *data);
