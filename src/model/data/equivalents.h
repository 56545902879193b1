/*
 * Screening: one representative for predictors that no model can distinguish. They need not be
 * equal; what gives the representative's value is found by equivalents_map().
 */
#pragma once

#include "core/annotation/annotation.h"

#include "model_options.h"
#include "dataset.h"

/*
 * Sort the predictors: first those that @options pin or prefer, then those that a programmer would
 * rather name. The first of each group of equivalents stays, and has the others in `alike`.
 */
void equivalents_screen(struct dataset *data, const struct model_options *options);

/*
 * Is @other equal to @of, or offset + scale * it, but for rounding, in all rows that have both? The
 * map is in @ret; equal ones have scale 1 and offset 0. A line through fewer than
 * EQUIVALENTS_VALUES values of @of is no evidence.
 */
bool equivalents_map(const struct dataset *data, const struct column *of,
		     const struct column *other, struct annotation_affine *ret);
enum { EQUIVALENTS_VALUES = 4 };

/* Does the last identifier of @expression contain a word like size or count? */
bool equivalents_names_a_count(const char *expression);
