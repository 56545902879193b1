/* Regression: one formula for some calls, or a constant. */
#pragma once

#include "model/data/model_options.h"
#include "fit.h"

struct regression {
	struct fit fit;
	struct fit loose; /* if is_loose: significant, but it explains too little */
	bool is_loose;
};

/* @data has at least one row. */
void regress(const struct dataset *data, const struct model_options *options,
	     struct regression *ret);
