/* Regression on the calls of each component, then EM over the columns of their terms. */
#include "mixture_formulas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "mixture.h"
#include "model/regression/regress.h"
#include "model/regression/score.h"

enum { ROWS_MIN_FORMULA = 20, JOINED_MAX = 4 };

/* Of the largest cost: smaller deviations are rounding. */
#define ROUNDING 1e-6

double mixture_formulas_least(const struct dataset *data)
{
	return fmax(fit_least_deviation(data->resolution) / data->y_max, ROUNDING);
}

static void component_describe(const struct dataset *part, const struct model_options *options,
			       struct fit *ret)
{
	struct regression regression = {.is_loose = false};

	if (part->n_rows >= ROWS_MIN_FORMULA)
		regress(part, options, &regression);
	else
		fit_constant(part, &regression.fit);
	*ret = regression.fit;
}

struct refining {
	const struct dataset *data;
	double *y;                     /* over y_max */
	double *columns[CLUSTERS_MAX]; /* of each component: its terms in turn */
	struct mixture mixture;
	unsigned char *belongs; /* [row] its component after EM */
};

/* False: some row lacks a feature, or there are too many terms. */
static bool add_component(struct refining *refining, const struct fit *fit, double probability)
{
	const size_t n = refining->data->n_rows;
	const double y_max = refining->data->y_max;
	struct mixture_component *one = &refining->mixture.components[refining->mixture.n];
	double *columns;
	unsigned j;
	size_t i;

	if (fit->n_terms > MIXTURE_COLUMNS)
		return false;
	columns = mem_alloc(size_product(fit->n_terms * sizeof(*columns), n));
	refining->columns[refining->mixture.n++] = columns;
	*one = (struct mixture_component){
		.probability = probability,
		.deviation = fmax(fit->deviation / y_max, mixture_formulas_least(refining->data)),
		.p = fit->n_terms,
	};
	for (j = 0; j < fit->n_terms; j++) {
		double unit;

		if (!basis_coefficient(&fit->candidate.basis, fit->terms[j], 1, y_max, &unit) ||
		    !(unit > 0))
			return false;
		one->columns[j] = columns + j * n;
		one->coefficients[j] = fit->coefficients[j] / unit;
	}
	for (i = 0; i < n; i++) {
		double x[BASIS_FEATURES];

		if (!fit_read(fit, refining->data->order[i], x))
			return false;
		for (j = 0; j < fit->n_terms; j++)
			columns[j * n + i] = basis_value(&fit->candidate.basis, fit->terms[j], x);
	}
	return true;
}

/* Has EM found no noise, and kept to its least? */
static bool is_noiseless(const struct refining *refining, const struct mixture_component *one)
{
	const size_t n = refining->data->n_rows;
	double deviation = one->deviation;
	double typical = 0;
	size_t i;

	for (i = 0; i < n; i++)
		typical += fabs(refining->y[i]) / n;
	if (one->relative)
		deviation *= typical;
	return deviation <= (1 + ROUNDING) * mixture_formulas_least(refining->data);
}

/* Relative to the mean if that is positive at all calls. */
static void component_set_deviation(const struct refining *refining,
				    const struct mixture_component *one, struct fit *fit)
{
	const size_t n = refining->data->n_rows;
	const double least = fit_least_deviation(refining->data->resolution);
	double lowest = INFINITY;
	double square = 0;
	size_t i;

	fit->deviation_part = fit->deviation_base = 0;
	if (is_noiseless(refining, one)) {
		fit->deviation = least;
		return;
	}
	if (!one->relative) {
		fit->deviation = fmax(one->deviation * refining->data->y_max, least);
		return;
	}
	for (i = 0; i < n; i++) {
		const double mean = mixture_mean(one, i);

		lowest = fmin(lowest, mean);
		square += mean * mean / n;
	}
	fit->deviation = fmax(one->deviation * sqrt(square) * refining->data->y_max, least);
	if (!(lowest > 0) || !fit->candidate.basis.n_features)
		return;
	fit->deviation_part = one->deviation;
	fit->deviation_base = least;
}

/* Copy the result of EM into @model. */
static bool write_back(const struct refining *refining, const struct mixture_component *one,
		       struct tree_model *model)
{
	struct fit *fit = &model->fit;
	unsigned j;

	model->probability = one->probability;
	for (j = 0; j < fit->n_terms; j++)
		if (!basis_coefficient(&fit->candidate.basis, fit->terms[j], one->coefficients[j],
				       refining->data->y_max, &fit->coefficients[j]))
			return false;
	component_set_deviation(refining, one, fit);
	fit->n_far = fit->n_absent = 0; /* EM's deviation includes them */
	fit->is_trend = false;
	return isfinite(fit->deviation);
}

static size_t component_count(const struct refining *refining, unsigned component)
{
	size_t n = 0;
	size_t row;

	for (row = 0; row < refining->data->n_rows; row++)
		n += refining->belongs[row] == component;
	return n;
}

/* EM sorts components; their columns identify them. */
static bool component_write_all(const struct refining *refining, struct mixture_formulas *ret)
{
	struct mixture_formulas found = *ret;
	unsigned i, k;

	for (i = 0; i < ret->n; i++) {
		const struct mixture_component *one = &refining->mixture.components[i];

		for (k = 0; refining->columns[k] != one->columns[0]; k++)
			;
		found.models[i] = ret->models[k];
		if (!write_back(refining, one, &found.models[i]))
			return false;
		found.models[i].fit.n_used = component_count(refining, i);
	}
	found.bic =
		score_unscale(refining->mixture.bic, refining->data->n_rows, refining->data->y_max);
	*ret = found;
	return true;
}

static bool lacks_constant(const struct fit *fit)
{
	return fit->candidate.basis.n_features && !(fit->candidate.mask & 1) &&
	       fit->n_terms < MIXTURE_COLUMNS;
}

static void component_add_constant(struct fit *fit)
{
	memmove(fit->terms + 1, fit->terms, fit->n_terms * sizeof(*fit->terms));
	memmove(fit->coefficients + 1, fit->coefficients,
		fit->n_terms * sizeof(*fit->coefficients));
	memmove(fit->std_errors + 1, fit->std_errors, fit->n_terms * sizeof(*fit->std_errors));
	fit->n_terms++;
	fit->terms[0] = 0;
	fit->coefficients[0] = 0;
	fit->std_errors[0] = NAN;
	fit->candidate.mask |= 1;
}

static bool has_negative_constant(const struct mixture_formulas *components)
{
	unsigned i;

	for (i = 0; i < components->n; i++)
		if (components->models[i].fit.terms[0] == 0 &&
		    components->models[i].fit.coefficients[0] < 0)
			return true;
	return false;
}

static void refine(const struct dataset *data, struct mixture_formulas *ret)
{
	struct refining refining = {.data = data};
	bool ok = data->y_max > 0;
	unsigned i;
	size_t row;

	refining.y = mem_alloc(data->n_rows * sizeof(*refining.y));
	refining.belongs = mem_alloc(data->n_rows);
	for (row = 0; row < data->n_rows; row++)
		refining.y[row] = data_cost(data, row) / data->y_max;
	for (i = 0; ok && i < ret->n; i++)
		ok = add_component(&refining, &ret->models[i].fit, ret->models[i].probability);
	if (ok && mixture_refine(refining.y, data->n_rows, mixture_formulas_least(data),
				 &refining.mixture, refining.belongs))
		component_write_all(&refining, ret);
	for (i = 0; i < CLUSTERS_MAX; i++)
		free(refining.columns[i]);
	free(refining.y);
	free(refining.belongs);
}

/* With relative noise, too: robust regression misses constants that only small calls show. */
static void refine_both(const struct dataset *data, struct mixture_formulas *ret)
{
	struct mixture_formulas *with = mem_alloc(sizeof(*with));
	bool differs = false;
	unsigned i;

	*with = *ret;
	for (i = 0; i < with->n; i++)
		if (lacks_constant(&with->models[i].fit)) {
			component_add_constant(&with->models[i].fit);
			differs = true;
		}
	refine(data, ret);
	if (differs)
		refine(data, with);
	if (differs && isfinite(with->bic) && !(with->bic >= ret->bic) &&
	    (data->y_negative || !has_negative_constant(with)))
		*ret = *with;
	free(with);
}

void mixture_formulas_find(const struct dataset *data, const struct model_options *options,
			   const unsigned char *belongs, unsigned n, struct mixture_formulas *ret)
{
	unsigned i;

	*ret = (struct mixture_formulas){.bic = NAN};
	for (i = 0; i < n; i++) {
		struct dataset *part = dataset_marked(data, belongs, i);

		if (part->n_rows) {
			struct tree_model *model = &ret->models[ret->n++];

			model->probability = (double)part->n_rows / data->n_rows;
			component_describe(part, options, &model->fit);
			ret->has_formula |= model->fit.candidate.basis.n_features > 0;
		}
		dataset_destroy(part);
	}
	if (ret->has_formula)
		refine_both(data, ret);
}

/* Copy @belongs with components @a < @b joined. */
static void component_join(const unsigned char *belongs, size_t n, unsigned a, unsigned b,
			   unsigned char *ret)
{
	size_t row;

	for (row = 0; row < n; row++)
		ret[row] = belongs[row] == b ? a : belongs[row] - (belongs[row] > b);
}

/* Join the two of @n components that are best as one, if that is nearly as good. */
static bool join_two(const struct dataset *data, const struct model_options *options,
		     unsigned char *belongs, unsigned n, struct mixture_formulas *components)
{
	unsigned char *tried = mem_alloc(data->n_rows), *best = mem_alloc(data->n_rows);
	struct mixture_formulas *joined = mem_alloc(sizeof(*joined));
	double limit = components->bic + SCORE_CLEARLY;
	bool found = false;
	unsigned a, b;

	for (b = 1; b < n; b++)
		for (a = 0; a < b; a++) {
			component_join(belongs, data->n_rows, a, b, tried);
			mixture_formulas_find(data, options, tried, n - 1, joined);
			if (!joined->has_formula || !(joined->bic < limit))
				continue;
			limit = joined->bic;
			*components = *joined;
			memcpy(best, tried, data->n_rows);
			found = true;
		}
	if (found)
		memcpy(belongs, best, data->n_rows);
	free(joined);
	free(tried);
	free(best);
	return found;
}

void mixture_formulas_join(const struct dataset *data, const struct model_options *options,
			   unsigned char *belongs, unsigned n, struct mixture_formulas *components)
{
	if (!components->has_formula || n > JOINED_MAX)
		return;
	while (n > 2 && join_two(data, options, belongs, n, components))
		n--;
}

double mixture_formulas_mean(const struct dataset *data, const struct fit *fit, size_t row)
{
	double x[BASIS_FEATURES] = {0};
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		x[i] = fit->columns[i]->numbers[data->order[row]];
	return fit_value(fit, x);
}
