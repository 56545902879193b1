/*
 * Regression: the model of some calls as one formula, or the constant.
 */
#ifndef FATHOM_MODEL_REGRESS_H
#define FATHOM_MODEL_REGRESS_H

#include "model/options.h"
#include "model/fit.h"

struct regression {
	struct fit fit;
	struct fit loose; /* significant, but it explains too little */
	bool is_loose;    /* there is one */
};

/* @data has one row at least. */
void regress(const struct dataset *data, const struct model_options *options,
	     struct regression *ret);

#endif
