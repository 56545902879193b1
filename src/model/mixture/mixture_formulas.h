/*
 * Components: the models of calls that a mixture chooses among, from which call seems to be whose.
 *
 * Each component gets a formula of its calls, if one holds there, or a constant; then all are
 * refined together by EM, in which a call belongs to each in part.
 */
#pragma once

#include "leaf.h"
#include "model/data/model_options.h"

struct mixture_formulas {
	unsigned n;
	struct tree_model models[CLUSTERS_MAX];
	bool has_formula; /* in one at least */
	/* NAN: nothing was refined: no formula, or features that some calls lack. */
	double bic;
};

/*
 * @belongs ([n_rows], of the rows in order): the component of each, less than @n. Components
 * without calls are left out.
 */
void mixture_formulas_find(const struct dataset *data, const struct model_options *options,
			   const unsigned char *belongs, unsigned n, struct mixture_formulas *ret);

/*
 * Join components of @components, which are of @belongs, as long as there are more than two and
 * fewer are nearly as good by BIC. @belongs follows. Of many components none is joined.
 */
void mixture_formulas_join(const struct dataset *data, const struct model_options *options,
			   unsigned char *belongs, unsigned n, struct mixture_formulas *components);

/* What the call @row of @data, counted in its order, costs by @fit, whose features it has. */
double mixture_formulas_mean(const struct dataset *data, const struct fit *fit, size_t row);
