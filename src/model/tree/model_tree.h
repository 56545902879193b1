/*
 * The classification tree: calls are parted by conditions until each part has one model.
 *
 * A part is one formula where regression finds one; otherwise, and where two formulas describe it
 * far better, it is split by one of the conditions that partition.h proposes; what cannot be split
 * and has no formula is a mixture, or a constant. A split is kept if the description as a whole
 * gets better by BIC, and by enough to be worth the reader's time.
 */
#pragma once

#include "model/mixture/leaf.h"
#include "model/data/model_options.h"
#include "model/split/split.h"

enum {
	TREE_DEPTH =
		/*
		 * features that conditions of one leaf are about; a value of an enumeration more
		 * does not count
		 */
	4,
	TREE_LEAVES = 1 << TREE_DEPTH,
	TREE_CONDITIONS = TREE_LEAVES,
};

struct tree_condition {
	struct split split;
	bool first; /* on its first side */
};

/* The conditions of a leaf. */
struct tree_scope {
	struct tree_condition of[TREE_CONDITIONS];
	unsigned n;
};

struct model_tree {
	struct tree_leaf leaves[TREE_LEAVES];
	struct tree_scope scopes[TREE_LEAVES];
	unsigned n;
	size_t n_outside; /* rows of which no condition could be decided */
};

/* @data, which is screened and has a row at least, must live as long as @ret. */
void model_tree_grow(struct dataset *data, const struct model_options *options,
		     struct model_tree *ret);
void model_tree_deinit(struct model_tree *tree);
