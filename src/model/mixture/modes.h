/* Modes of calls that no feature tells apart: a mixture of models, each with its probability. */
#pragma once

#include "leaf.h"
#include "model/data/model_options.h"

/*
 * Set the leaf's models: @fit alone, or a mixture where the calls of @data have modes that @fit
 * leaves unexplained. The columns of @data need not be there.
 */
void modes_find(struct dataset *data, const struct model_options *options, const struct fit *fit,
		struct tree_leaf *leaf);
