/*
 * Takes the first selected candidate that is believed and whose features pay. If none with pinned
 * features is, one without them may be.
 */
#include "regress.h"

#include <math.h>

#include "feature_selection.h"
#include "free_growth.h"
#include "score.h"

/* The share of plain residual squares that a further feature may leave at most. */
#define FURTHER_MOST 0.95

static unsigned regress_count_pinned(const struct dataset *data, const struct fit *fit)
{
	unsigned n = 0;
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		n += dataset_is_pinned(data, fit->columns[i]);
	return n;
}

/*
 * Candidates are chosen with weights, by which small calls count as much as large ones. A further
 * feature must also reduce plain residuals, or it is about a few small calls.
 */
static bool earns_features(const struct dataset *data, const struct fit *wide,
			   const struct fit *narrow)
{
	return narrow->verdict != VERDICT_BELIEVED ||
	       regress_count_pinned(data, wide) > regress_count_pinned(data, narrow) ||
	       1 - wide->r2 < FURTHER_MOST * (1 - narrow->r2);
}

/* False: no formula is believed. */
static bool choose_formula(const struct dataset *data, const struct selection *selection,
			   double min_r2, struct regression *ret)
{
	struct fit fits[BASIS_FEATURES];
	unsigned i;

	for (i = 0; i < selection->n; i++)
		fit_candidate(data, &selection->candidates[i], min_r2, &fits[i]);
	for (i = 0; i < selection->n; i++) {
		const struct fit *narrower = i + 1 < selection->n ? &fits[i + 1] : NULL;

		if (fits[i].verdict == VERDICT_BELIEVED &&
		    (!narrower || earns_features(data, &fits[i], narrower))) {
			ret->fit = fits[i];
			return true;
		}
		if (fits[i].verdict == VERDICT_LOOSE) {
			ret->loose = fits[i];
			ret->is_loose = true;
		}
	}
	return false;
}

/*
 * What the likelihood of a power or an exponential of @predictor may lack to take the formula's
 * place; NAN: nothing.
 */
static double may_lack(const struct dataset *data, const struct fit *formula, size_t predictor)
{
	if (fit_is_late(formula) && !data->predictors[predictor].returned)
		return SCORE_RETURNED * data->n_rows;
	return formula->candidate.basis.n_features == 1 &&
			       formula->candidate.predictors[0] == predictor
		       ? 0
		       : NAN;
}

/*
 * Put a power or an exponential of one feature in place of a formula of it, of a returned value, or
 * of none. False: there is none, or it is no better.
 */
static bool regress_freely(const struct dataset *data, const struct selection *selection,
			   double min_r2, bool has_formula, struct regression *ret)
{
	unsigned i;

	for (i = 0; i < selection->n_strongest; i++) {
		const size_t predictor = selection->strongest[i];
		const double lack = has_formula ? may_lack(data, &ret->fit, predictor) : INFINITY;
		struct candidate free;
		struct fit fit;

		if (isnan(lack) || !free_growth_find(data, predictor, &free))
			continue;
		fit_candidate(data, &free, min_r2, &fit);
		if (fit.verdict != VERDICT_BELIEVED ||
		    (has_formula && !(fit.deviance < ret->fit.deviance + lack)))
			continue;
		ret->fit = fit;
		ret->is_loose = false;
		return true;
	}
	return false;
}

/* False: no formula is believed. */
static bool find_formula(const struct dataset *data, const struct model_options *options,
			 struct regression *ret)
{
	const double kin = options->correlation > 0 ? options->correlation : MODEL_CORRELATION;
	struct selection selection = {.n = 0};
	bool found;

	ret->is_loose = false;
	if (data->n_rows >= ROWS_MIN && data->y_max > 0)
		feature_selection_candidates(data, kin, &selection);
	found = choose_formula(data, &selection, options->min_r2, ret);
	return regress_freely(data, &selection, options->min_r2, found, ret) || found;
}

void regress(const struct dataset *data, const struct model_options *options,
	     struct regression *ret)
{
	struct dataset plain = *data;

	if (find_formula(data, options, ret))
		return;
	plain.n_pinned = 0;
	if (data->n_pinned && find_formula(&plain, options, ret))
		return;
	fit_constant(data, &ret->fit);
}
