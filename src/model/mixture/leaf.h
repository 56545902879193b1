/* Leaves of the classification tree: some calls and their models. */
#pragma once

#include "model/density/density_clusters.h"
#include "model/regression/fit.h"

/* The kinds of calls of a leaf, and what is of none. */
enum { LEAF_MODELS = CLUSTERS_MAX + 1 };

struct tree_model {
	double probability;
	struct fit fit;
};

struct tree_leaf {
	struct dataset *data;      /* owned; predictors of the fits are its columns */
	struct tree_model *models; /* owned; several (at most LEAF_MODELS): a mixture */
	unsigned n_models;
	struct fit loose; /* a fit that explains too little */
	bool is_loose;    /* `loose` is set */
};
