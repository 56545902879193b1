/*
 * Screening: one representative for predictors that no model could tell apart.
 */
#pragma once

#include "model_options.h"
#include "dataset.h"

/*
 * Sort the predictors so that the one that @options want or prefer, or a programmer would rather
 * name, comes first, and let the first of every group of equivalent ones stand for the others,
 * which become its aliases.
 */
void equivalents_screen(struct dataset *data, const struct model_options *options);

/* Does the last identifier of @expression have a word like size or count? */
bool equivalents_names_a_count(const char *expression);
