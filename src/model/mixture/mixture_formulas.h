/*
 * Formulas for the components of a mixture, given a component for each call.
 *
 * Each component gets a formula of its calls, if one is believed, or a constant; then EM refines
 * all of them together, with calls that belong to each in part.
 */
#pragma once

#include "leaf.h"
#include "model/data/model_options.h"

struct mixture_formulas {
	unsigned n;
	struct tree_model models[CLUSTERS_MAX];
	bool has_formula; /* of at least one */
	/* NAN: not refined, as there is no formula, or some calls lack a feature */
	double bic;
	bool in_spells; /* there were others, which were spells of one (disturbance.h) */
};

/*
 * @belongs ([n_rows], in the order of the data): the component of each call, less than @n.
 * Components without calls are left out.
 */
void mixture_formulas_find(const struct dataset *data, const struct model_options *options,
			   const unsigned char *belongs, unsigned n, struct mixture_formulas *ret);

/*
 * Join components of @components while there are more than two and fewer are nearly as good by BIC;
 * updates @belongs. Does nothing if there are many components.
 */
void mixture_formulas_join(const struct dataset *data, const struct model_options *options,
			   unsigned char *belongs, unsigned n, struct mixture_formulas *components);

/* The least deviation of a component, over the largest cost. */
double mixture_formulas_least(const struct dataset *data);

/* The cost that @fit predicts for row @row of @data; the row has its features. */
double mixture_formulas_mean(const struct dataset *data, const struct fit *fit, size_t row);
