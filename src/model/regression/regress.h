/*
 * Regression: the model of some calls as one formula, or the constant.
 */
#pragma once

#include "model/data/model_options.h"
#include "fit.h"

struct regression {
	struct fit fit;
	struct fit loose; /* significant, but it explains too little */
	bool is_loose;    /* there is one */
};

/* @data has one row at least. */
void regress(const struct dataset *data, const struct model_options *options,
	     struct regression *ret);
