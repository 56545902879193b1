/*
 * From a tree to the features and cases of an annotation.
 */
#ifndef FATHOM_MODEL_DESCRIBE_H
#define FATHOM_MODEL_DESCRIBE_H

#include "model/tree.h"

/*
 * Set the features, cases and number of samples of @annotation. @data is the tree's root; features that are correlated with one that is named by
 * @kin or more are told as equivalent to it.
 */
void describe_tree(const struct tree *tree, const struct data *data, double kin,
		   struct annotation *annotation);

#endif
