/* Modes that are curves: each call follows one of a few formulas, and no feature says which. */
#pragma once

#include "mixture_formulas.h"

/*
 * Find curves of the features of @fit, or else of @loose (may be NULL), or else of the strongest
 * feature. They must be clearly better, by BIC, than @fit with any unimodal noise (unimodal.h), and
 * at least one must have a formula. If most calls follow a formula and the others none, @ret is the
 * main trend alone (is_trend). False: there are not several, and @ret is undefined.
 */
bool modes_curves_find(const struct dataset *data, const struct model_options *options,
		       const struct fit *fit, const struct fit *loose,
		       struct mixture_formulas *ret);
