/* Constants that stand for a cost that varies, and what was looked at in vain. */
#pragma once

#include "core/annotation/annotation.h"
#include "model/mixture/leaf.h"

/* Set @ret's part of the calls, if the leaf's only model is a constant and its cost is not. */
void unexplained_set(const struct tree_leaf *leaf, struct model *ret);

/*
 * Two sentences: what was looked at, and what could not be; the latter is NULL if all could, or, if
 * only what has a name is to be told, if that has none.
 */
const char *unexplained_looked_at(struct arena *arena, const struct dataset *data);
const char *unexplained_not_read(struct arena *arena, const struct dataset *data, bool only_named);
