/* Screening: one representative for predictors that no model can distinguish. */
#pragma once

#include "model_options.h"
#include "dataset.h"

/*
 * Sort the predictors: first those that @options pin or prefer, then those that a programmer would
 * rather name. The first of each group of equivalents stays; the others become its aliases.
 */
void equivalents_screen(struct dataset *data, const struct model_options *options);

/* Does the last identifier of @expression contain a word like size or count? */
bool equivalents_names_a_count(const char *expression);
