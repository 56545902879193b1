/*
 * From a tree to the features and cases of an annotation.
 */
#pragma once

#include "model_tree.h"

/*
 * Set the features, cases and number of samples of @annotation. @data is the tree's root; features
 * that are correlated with one that is named by
 * @kin or more are told as equivalent to it.
 */
void model_tree_cases(const struct model_tree *tree, const struct dataset *data, double kin,
		      struct annotation *annotation);
