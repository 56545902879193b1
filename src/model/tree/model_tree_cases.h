/* The features and cases of an annotation, from a tree. */
#pragma once

#include "model_tree.h"

/*
 * Set the features, cases and number of samples of @annotation. @data is the tree's root; features
 * whose correlation with a named one is @kin or more are listed as equivalent to it.
 */
void model_tree_cases(const struct model_tree *tree, const struct dataset *data, double kin,
		      struct annotation *annotation);
