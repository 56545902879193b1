/*
 * Modes of calls that nothing tells apart: a mixture of models, each with its probability.
 */
#ifndef FATHOM_MODEL_MODES_H
#define FATHOM_MODEL_MODES_H

#include "model/leaf.h"
#include "model/options.h"

/* Set the leaf's models: @fit alone, or a mixture where the calls of @data have modes that @fit does not explain. */
void modes_find(const struct dataset *data, const struct model_options *options,
		const struct fit *fit, struct tree_leaf *leaf);

#endif
