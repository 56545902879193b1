/*
 * Leaves: some calls, and their models.
 */
#pragma once

#include "model/density/density_clusters.h"
#include "model/regression/fit.h"

struct tree_model {
	double probability;
	struct fit fit;
};

struct tree_leaf {
	struct dataset *data;      /* its rows; the fits' predictors are numbered as here */
	struct tree_model *models; /* more than one, CLUSTERS_MAX at most: a mixture */
	unsigned n_models;
	struct fit loose; /* explains too little */
	bool is_loose;    /* there is one */
};
