/*
 * Modes that are curves: calls of which each follows one of a few formulas, and nothing tells
 * which.
 */
#pragma once

#include "mixture_formulas.h"

/*
 * Curves of the features of @fit, or else of @loose (may be NULL), or else of the strongest
 * feature, in @ret: clearly better, by BIC, than @fit with any noise (unimodal.h), and one at least
 * has a formula. If most calls follow a formula and the others nothing, the main trend alone
 * (is_trend). False: there are not several, and @ret is undefined.
 */
bool modes_curves_find(const struct dataset *data, const struct model_options *options,
		       const struct fit *fit, const struct fit *loose,
		       struct mixture_formulas *ret);
