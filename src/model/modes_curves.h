/*
 * Modes that are curves: calls of which each follows one of a few formulas, and nothing tells which.
 */
#ifndef FATHOM_MODEL_MODES_CURVES_H
#define FATHOM_MODEL_MODES_CURVES_H

#include "model/components.h"

/*
 * Curves of the features of @fit, or else of @loose (NULL: there is none), or else of the strongest feature, in @ret. False: nothing says that
 * there are several, and @ret is undefined. Several are clearly better, by BIC, than @fit with any noise (unimodal.h), and one has a
 * formula at least. If most calls follow a formula and the others nothing, @ret is the main trend alone (is_trend).
 */
bool modes_curves_find(const struct data *data, const struct model_options *options,
		       const struct fit *fit, const struct fit *loose, struct components *ret);

#endif
