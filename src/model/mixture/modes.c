/* From clusters of the metric to models with probabilities; a cluster may have a formula. */
#include "modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mixture_formulas.h"
#include "envelope.h"
#include "outliers.h"
#include "mixture.h"
#include "modes_curves.h"
#include "mode_separation.h"
#include "model/regression/score.h"
#include "main_trend.h"
#include "disturbance.h"

enum { ROWS_MIN_MIXTURE = 20 };

/* Outliers are at most this part of the calls. */
#define FAR_FEW 0.05

static void set_only(const struct fit *fit, struct tree_leaf *leaf)
{
	leaf->models = mem_alloc(sizeof(*leaf->models));
	leaf->models[0] = (struct tree_model){1, *fit};
	leaf->n_models = 1;
}

/* The component of each row in @mixture, and the components' models. */
static void describe_modes(const struct dataset *data, const struct model_options *options,
			   const struct mixture *mixture, struct mixture_formulas *ret)
{
	unsigned char *belongs = mem_alloc(data->n_rows);
	unsigned i;
	size_t row;

	for (row = 0; row < data->n_rows; row++)
		belongs[row] = mixture_most_likely(mixture, data_cost(data, row));
	mixture_formulas_find(data, options, belongs, mixture->n, ret);
	mixture_formulas_join(data, options, belongs, mixture->n, ret);
	if (ret->has_formula || ret->n != mixture->n) {
		free(belongs);
		return;
	}
	for (i = 0; i < ret->n; i++) {
		const struct mixture_component *one = &mixture->components[i];
		struct tree_model *model = &ret->models[i];

		model->probability = one->probability;
		model->fit.coefficients[0] = one->coefficients[0];
		model->fit.deviation = one->deviation;
		model->fit.n_used += model->fit.n_far; /* the component has them, too */
		model->fit.n_far = 0;
		model->fit.std_errors[0] = model->fit.deviation / sqrt(fmax(model->fit.n_used, 1));
	}
	ret->bic = mixture->bic;
	free(belongs);
}

static void set_models(const struct mixture_formulas *components, struct tree_leaf *leaf)
{
	leaf->models = mem_alloc(components->n * sizeof(*leaf->models));
	memcpy(leaf->models, components->models, components->n * sizeof(*leaf->models));
	leaf->n_models = components->n;
}

/* Add the @is_far calls to those that @fit, of the others, leaves out. */
static void count_outliers(const struct dataset *data, const unsigned char *is_far, struct fit *fit)
{
	size_t i;

	for (i = 0; i < data->n_rows; i++)
		if (is_far[i])
			fit_count_far(fit, data_cost(data, i));
}

/* A constant for the calls that the leaf's models leave out; n_used is their number. */
static struct fit fit_of_far(const struct tree_leaf *leaf)
{
	struct fit ret = {.verdict = VERDICT_BELIEVED,
			  .n_terms = 1,
			  .r2 = NAN,
			  .cv_r2 = NAN,
			  .error = NAN,
			  .is_rest = true};
	double sum = 0, square = 0;
	unsigned i;

	ret.candidate.mask = 1;
	basis_init(&ret.candidate.basis, false);
	for (i = 0; i < leaf->n_models; i++) {
		const struct fit *fit = &leaf->models[i].fit;

		ret.n_used += fit->n_far;
		sum += fit->n_far * fit->far_mean;
	}
	ret.coefficients[0] = ret.n_used ? sum / ret.n_used : 0;
	for (i = 0; i < leaf->n_models; i++) {
		const struct fit *fit = &leaf->models[i].fit;
		const double from = fit->far_mean - ret.coefficients[0];

		square += fit->n_far * (fit->far_deviation * fit->far_deviation + from * from);
	}
	ret.deviation = ret.n_used ? sqrt(square / ret.n_used) : 0;
	ret.std_errors[0] = ret.deviation / sqrt(fmax(ret.n_used, 1));
	return ret;
}

/* More than a few that do not fit are no outliers: a model of their own, and R2 is that of all. */
static void describe_far(struct tree_leaf *leaf)
{
	const struct fit far = fit_of_far(leaf);
	struct tree_model *models;
	double rows = far.n_used;
	double share;
	unsigned i;

	for (i = 0; i < leaf->n_models; i++)
		rows += leaf->models[i].fit.n_used;
	share = far.n_used / rows;
	if (far.n_used <= fmax(FAR_FEW * rows, 1))
		return;
	models = mem_alloc((leaf->n_models + 1) * sizeof(*models));
	memcpy(models, leaf->models, leaf->n_models * sizeof(*models));
	for (i = 0; i < leaf->n_models; i++) {
		struct fit *fit = &models[i].fit;

		models[i].probability *= 1 - share;
		if (fit->n_far && fit->candidate.basis.n_features) {
			fit->r2 = fmax(fit->r2_far, 0);
			fit->cv_r2 = NAN;
		}
		fit->n_far = 0;
	}
	models[leaf->n_models++] = (struct tree_model){share, far};
	free(leaf->models);
	leaf->models = models;
}

/* What has more free choices must be better by more. */
static bool modes_is_better(const struct mixture_formulas *freer,
			    const struct mixture_formulas *other)
{
	return !isfinite(other->bic) || freer->bic + SCORE_CLEARLY < other->bic;
}

/* Each mode with a formula where one is believed. False: there is only one. */
static bool describe_clusters(const struct dataset *data, const struct model_options *options,
			      struct mixture *mixture, struct mixture_formulas *ret)
{
	bool in_spells;

	disturbance_join(data, mixture, &in_spells);
	if (mixture->n > 1)
		describe_modes(data, options, mixture, ret);
	ret->in_spells = in_spells;
	return mixture->n > 1;
}

/* The same of the calls that are not @is_far, and follow modes. */
static void describe_near(const struct dataset *data, const struct model_options *options,
			  struct mixture *mixture, const unsigned char *is_far,
			  struct mixture_formulas *ret)
{
	struct dataset *near = dataset_marked(data, is_far, false);
	const double bic = outliers_bic(data, is_far);

	mixture->bic -= bic;
	if (!describe_clusters(near, options, mixture, ret)) {
		ret->n = 1;
		ret->models[0].probability = 1;
		fit_constant(near, &ret->models[0].fit);
		ret->has_formula = false;
		ret->bic = mixture->bic;
	}
	ret->bic += bic;
	count_outliers(data, is_far, &ret->models[ret->n - 1].fit);
	dataset_destroy(near);
}

/* Modes by cost alone, which all calls follow, or most. */
static bool find_clusters(const struct dataset *data, const struct model_options *options,
			  struct mixture_formulas *ret)
{
	const size_t n = data->n_rows;
	const double least = outliers_mode_least(n);
	struct mixture_formulas *beside = mem_alloc(sizeof(*beside));
	unsigned char *is_far = mem_alloc(n + 1);
	double *y = mem_alloc(n * sizeof(*y));
	struct mixture mixture, most;
	bool found, has_rest;

	for (size_t i = 0; i < n; i++)
		y[i] = data_cost(data, i);
	mixture_find(y, n, data->resolution, least, &mixture);
	has_rest = mixture_find_beside(y, n, data->resolution, least, &mixture, &most, is_far);
	free(y);
	found = !model_options_are_over(options) && describe_clusters(data, options, &mixture, ret);
	if (has_rest && !model_options_are_over(options)) {
		describe_near(data, options, &most, is_far, beside);
		if (!found || !ret->has_formula || modes_is_better(beside, ret))
			*ret = *beside;
		found = true;
	}
	free(beside);
	free(is_far);
	return found;
}

/* The main trend, and what the other calls cost beside it. */
static bool find_trend(const struct dataset *data, const struct model_options *options,
		       struct mixture_formulas *ret)
{
	unsigned char *belongs = mem_alloc(data->n_rows);
	bool found = main_trend_find(data, belongs);

	if (found) {
		mixture_formulas_find(data, options, belongs, 2, ret);
		found = ret->has_formula && isfinite(ret->bic) &&
			(mode_separation_holds(data, ret) || mode_separation_take_trend(data, ret));
	}
	free(belongs);
	return found;
}

static void modes_choose(struct dataset *data, const struct model_options *options,
			 const struct fit *fit, struct tree_leaf *leaf)
{
	const struct fit *loose = leaf->is_loose ? &leaf->loose : NULL;
	struct mixture_formulas *found = mem_alloc(2 * sizeof(*found));
	struct mixture_formulas *clusters = &found[0], *curves = &found[1];
	bool are_clusters = false, are_curves;
	struct fit envelope;

	if (dataset_is_flat(data) || model_options_are_over(options) ||
	    (!fit->candidate.basis.n_features && dataset_is_nothing(data))) {
		set_only(fit, leaf);
		free(found);
		return;
	}
	if (!fit->candidate.basis.n_features) {
		/* Clusters have columns of their own. */
		dataset_forget(data);
		are_clusters =
			data->n_rows >= ROWS_MIN_MIXTURE && find_clusters(data, options, clusters);
		dataset_recall(data);
	}
	are_curves = modes_curves_find(data, options, fit, loose, curves);
	if (!are_curves && !fit->candidate.basis.n_features)
		are_curves = find_trend(data, options, curves);
	if (are_curves && (!are_clusters || modes_is_better(curves, clusters)))
		set_models(curves, leaf);
	else if (are_clusters) {
		if (isfinite(clusters->bic) && clusters->has_formula)
			mode_separation_take_trend(data, clusters);
		set_models(clusters, leaf);
	} else if (!fit->candidate.basis.n_features && envelope_find(data, options, &envelope))
		set_only(&envelope, leaf);
	else
		set_only(fit, leaf);
	leaf->models[0].fit.in_spells = clusters->in_spells || curves->in_spells;
	free(found);
}

/*
 * Mark the calls beyond all comparison: by what they cost beyond what @fit says, over that, or over
 * what is usual where it says less; a constant may be the mean of all, those calls among them.
 * Returns their number.
 */
static size_t mark_alone(const struct dataset *data, const struct fit *fit, unsigned char *ret)
{
	const double usual = dataset_cost_quantile(data, 0.5);
	double *beyond = mem_alloc((data->n_rows + 1) * sizeof(*beyond));
	struct outliers alone = {.limit = INFINITY};
	size_t i;

	for (i = 0; i < data->n_rows; i++) {
		const double mean = fit->candidate.basis.n_features
					    ? mixture_formulas_mean(data, fit, i)
					    : usual;

		beyond[i] = (data_cost(data, i) - mean) / fmax(mean, usual);
	}
	if (usual > 0 && !data->y_negative)
		outliers_find_alone(beyond, data->n_rows, data->resolution / usual, &alone);
	for (i = 0; i < data->n_rows; i++)
		ret[i] = beyond[i] > alone.limit;
	free(beyond);
	return alone.n;
}

/* The same formula, or constant, of the calls @near. False: it is not believed there. */
static bool fit_again(const struct dataset *near, const struct model_options *options,
		      const struct fit *fit, struct fit *ret)
{
	struct candidate candidate = fit->candidate;
	unsigned i;

	for (i = 0; i < candidate.basis.n_features; i++) {
		const struct predictor *found = dataset_find_predictor(near, fit->columns[i]);

		if (!found)
			return false;
		candidate.predictors[i] = found - near->predictors;
	}
	if (i)
		fit_candidate(near, &candidate, options->min_r2, ret);
	else
		fit_constant(near, ret);
	ret->r2_far = fit->r2_far;
	return ret->verdict == VERDICT_BELIEVED;
}

/* Calls beyond all comparison are in no mean, and in no case of what does not fit. */
void modes_find(struct dataset *data, const struct model_options *options, const struct fit *fit,
		struct tree_leaf *leaf)
{
	unsigned char *is_far = mem_alloc(data->n_rows + 1);
	const size_t alone = mark_alone(data, fit, is_far);
	struct dataset *near = NULL;
	struct fit others;

	/* A formula leaves out a few by itself. */
	if (alone && (!fit->candidate.basis.n_features || fit->is_trend))
		near = dataset_marked(data, is_far, false);
	if (near && fit_again(near, options, fit, &others)) {
		modes_choose(near, options, &others, leaf);
		describe_far(leaf);
		count_outliers(data, is_far, &leaf->models[leaf->n_models - 1].fit);
	} else {
		modes_choose(data, options, fit, leaf);
		describe_far(leaf);
	}
	dataset_destroy(near);
	free(is_far);
}
