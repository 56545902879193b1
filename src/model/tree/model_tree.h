/*
 * The classification tree: conditions split the calls until each part has one model.
 *
 * A part is one formula where regression finds one. Otherwise, and where two formulas describe it
 * far better, it is split by one of the conditions that partition.h proposes. A part without
 * formula and split is a mixture or a constant. A split is kept if it improves the BIC of the whole
 * description by enough to be worth the reader's time.
 */
#pragma once

#include "model/mixture/leaf.h"
#include "model/data/model_options.h"
#include "model/split/split.h"

enum {
	TREE_DEPTH =
		/* features in the conditions of one leaf; an enumeration may occur several times */
	4,
	TREE_LEAVES = 1 << TREE_DEPTH,
	TREE_CONDITIONS = TREE_LEAVES,
};

struct tree_condition {
	struct split split;
	bool first; /* on the first side of the split */
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
	size_t n_outside; /* rows for which a condition could not be decided */
};

/* @data has been screened, has at least one row, and must live as long as @ret. */
void model_tree_grow(struct dataset *data, const struct model_options *options,
		     struct model_tree *ret);
void model_tree_deinit(struct model_tree *tree);
