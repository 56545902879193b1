/* What the cases of a tree do not describe. */
#pragma once

#include "model_tree.h"

/* The calls of @data that @tree leaves out, and what they cost. */
struct annotation_left_out left_out_find(const struct dataset *data, const struct model_tree *tree);
