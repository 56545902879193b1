/*
 * Which columns the curves may have is found here; the curves are mixture_curves.c's matter, and their formulas components.c's.
 */
#include "model/modes_curves.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "base/mem.h"
#include "model/mixture.h"
#include "model/strength.h"
#include "model/unimodal.h"

enum { ROWS_MIN_CURVES = 40, ROWS_COUNTED = 300, MODE_ROWS_MIN = 10 };

/* Fewer calls are no mode. */
#define MODE_PART_MIN 0.05
/* How much better several must be, by BIC. */
#define CLEARLY 20.0
/* Curves are two if they are so many deviations apart. */
#define APART    2.0
#define ACCIDENT 0.01
/* In proportion to the curve. */
#define WIDE 0.35
/* What explains so much hides no mode. */
#define R2_NO_MODES 0.98
/* The least part of the calls that are a trend when the others follow no law. */
#define DOMINANT 0.55
/* Relative noise does not vanish where a curve does. */
#define FLOOR           1e-3
#define LEAST_DEVIATION 1e-6

struct search {
	const struct data *data;
	const struct model_options *options;
	double *y;                        /* over y_max */
	double *columns[MIXTURE_COLUMNS]; /* [0]: not used, the constant is NULL */
	struct mixture best;              /* .n == 0: none */
	unsigned char *belongs;           /* to the best one's components */
};

static void search_init(struct search *search, const struct data *data,
			const struct model_options *options)
{
	double *memory = mem_alloc((MIXTURE_COLUMNS + 1) * data->n_rows * sizeof(*memory));
	unsigned j;
	size_t i;

	*search = (struct search){.data = data, .options = options, .y = memory};
	search->best.bic = INFINITY;
	search->belongs = mem_alloc(data->n_rows);
	for (j = 0; j < MIXTURE_COLUMNS; j++)
		search->columns[j] = memory + (j + 1) * data->n_rows;
	for (i = 0; i < data->n_rows; i++)
		search->y[i] = data->metric->numbers[data->order[i]] / data->y_max;
}

static void search_deinit(struct search *search)
{
	free(search->y);
	free(search->belongs);
}

static bool is_everywhere(const struct data *data, const struct column *column)
{
	size_t i;

	for (i = 0; i < data->n_rows; i++)
		if (column->absence[data->order[i]] != PRESENT ||
		    !isfinite(column->numbers[data->order[i]]))
			return false;
	return true;
}

/* Curves of the constant and the first @p - 1 further columns. */
static void attempt(struct search *search, unsigned p)
{
	const double *columns[MIXTURE_COLUMNS] = {NULL};
	struct mixture mixture;

	memcpy(columns + 1, search->columns + 1, (p - 1) * sizeof(*columns));
	if (!mixture_regressions(search->y, columns, p, search->data->n_rows, &mixture) ||
	    mixture.bic >= search->best.bic)
		return;
	if (mixture_refine(search->y, search->data->n_rows, LEAST_DEVIATION, &mixture,
			   search->belongs))
		search->best = mixture;
}

/* Curves of all terms of @fit. */
static void attempt_terms(struct search *search, const struct fit *fit)
{
	const struct basis *basis = &fit->candidate.basis;
	unsigned p = 1;
	unsigned i, j;
	size_t row;

	for (j = 0; j < fit->n_terms; j++) {
		if (!basis->terms[fit->terms[j]].n)
			continue;
		if (p == MIXTURE_COLUMNS)
			return;
		for (row = 0; row < search->data->n_rows; row++) {
			double x[BASIS_FEATURES];

			for (i = 0; i < basis->n_features; i++)
				x[i] = fit->columns[i]->numbers[search->data->order[row]];
			search->columns[p][row] = basis_value(basis, fit->terms[j], x);
		}
		p++;
	}
	attempt(search, p);
}

/* Straight lines of one feature, or parabolas, which come near to what grows otherwise. */
static void attempt_lines(struct search *search, const struct column *column, bool bent)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < search->data->n_rows; i++)
		largest = fmax(largest, fabs(column->numbers[search->data->order[i]]));
	for (i = 0; i < search->data->n_rows; i++) {
		const double x = column->numbers[search->data->order[i]] / largest;

		search->columns[1][i] = x;
		search->columns[2][i] = x * x;
	}
	if (largest > 0)
		attempt(search, bent ? 3 : 2);
}

/* The ranks' correlation of the metric with a feature that all rows have is no accident, though it is the best of many. */
static bool goes_along(const struct search *search, const struct column *column)
{
	const size_t n = search->data->n_rows;
	double *x = mem_alloc(3 * n * sizeof(*x));
	double r, t;
	size_t i;

	for (i = 0; i < n; i++)
		x[i] = column->numbers[search->data->order[i]];
	r = fabs(gsl_stats_spearman(x, 1, search->y, 1, n, x + n));
	free(x);
	t = r * sqrt((n - 2) / fmax(1 - r * r, DBL_EPSILON));
	return 2 * gsl_cdf_tdist_Q(t, n - 2) * search->data->n_predictors <= ACCIDENT;
}

/* The strongest feature without a fit; NULL: none. */
static const struct column *find_strongest(const struct search *search)
{
	const struct data *data = search->data;
	size_t list[STRENGTH_LIST];
	size_t n = data->n_predictors ? strength_list(data, list) : 0;
	const struct predictor *found = n ? &data->predictors[list[0]] : NULL;

	return found && !found->of_system && is_everywhere(data, found->column) &&
			       goes_along(search, found->column)
		       ? found->column
		       : NULL;
}

/* Residuals */

static double mean_at(const struct data *data, const struct fit *fit, size_t row)
{
	double x[BASIS_FEATURES] = {0};
	unsigned i;

	for (i = 0; i < fit->candidate.basis.n_features; i++)
		x[i] = fit->columns[i]->numbers[data->order[row]];
	return fit_value(fit, x);
}

/* Over y_max; @logs is the sum of the logarithms of what they are divided by besides. */
static double *residuals_of(const struct search *search, const struct fit *fit, bool relative,
			    double *logs)
{
	const size_t n = search->data->n_rows;
	double *residual = mem_alloc(n * sizeof(*residual));
	double typical = 0;
	size_t row;

	for (row = 0; row < n; row++)
		typical += fabs(search->y[row]) / n;
	*logs = 0;
	for (row = 0; row < n; row++) {
		const double mean = mean_at(search->data, fit, row) / search->data->y_max;
		const double spread = relative ? fmax(fabs(mean), FLOOR * typical) : 1;

		residual[row] = (search->y[row] - mean) / spread;
		*logs += log(spread);
	}
	return residual;
}

/* Do the residuals of a formula, over its deviation, have several clusters? */
static bool leaves_clusters(const struct search *search, const struct fit *fit)
{
	const double base = fit->deviation_base / search->data->y_max;
	struct clusters clusters;
	double logs;
	double *residual = residuals_of(search, fit, false, &logs);
	size_t row;

	for (row = 0; fit->deviation_part > 0 && row < search->data->n_rows; row++) {
		const double mean = search->y[row] - residual[row];

		residual[row] /= fmax(base + fit->deviation_part * fmax(mean, 0), DBL_EPSILON);
	}
	density_find(residual, search->data->n_rows, &clusters);
	free(residual);
	return clusters.n > 1;
}

/* BIC of @fit with noise of one hump, even or in proportion to the cost; as in mixture_curves.c. */
static double bic_of(const struct search *search, const struct fit *fit, bool relative)
{
	const size_t n = search->data->n_rows;
	double logs, ret = -INFINITY;
	double *residual = residuals_of(search, fit, relative, &logs);

	gsl_sort(residual, 1, n);
	if (residual[0] < residual[n - 1])
		ret = -2 * (unimodal_log_likelihood(residual, n) - logs) +
		      (fit->n_terms + 3) * log(n);
	free(residual);
	return ret;
}

/* Many rows make any misfit significant. */
static bool is_clearly_better(const struct search *search, double bic, const struct fit *fit)
{
	const double single = fmin(bic_of(search, fit, false), bic_of(search, fit, true));
	const double weight = fmin(1, ROWS_COUNTED / (double)search->data->n_rows);

	return (single - bic) * weight > CLEARLY;
}

static double deviation_at(const struct fit *fit, double mean)
{
	return fit->deviation_part > 0 ? fit->deviation_base + fit->deviation_part * fabs(mean)
				       : fit->deviation;
}

/* Are two curves apart in half of the rows? What overlaps is a shape of noise that is not in the family. */
static bool is_apart(const struct data *data, const struct fit *a, const struct fit *b)
{
	size_t apart = 0;
	size_t row;

	for (row = 0; row < data->n_rows; row++) {
		const double left = mean_at(data, a, row), right = mean_at(data, b, row);
		const double deviations = deviation_at(a, left) + deviation_at(b, right);

		apart += fabs(left - right) >= APART * deviations;
	}
	return apart >= data->n_rows / 2.0;
}

/* Noise that is a large part of its curve: calls that something else made dear, and no mode. */
static bool is_wide(const struct fit *fit)
{
	if (fit->candidate.basis.n_features)
		return fit->deviation_part > WIDE;
	return fit->deviation > WIDE * fabs(fit->coefficients[0]);
}

static bool are_modes(const struct components *components, const struct data *data)
{
	const double least = fmax(MODE_ROWS_MIN, MODE_PART_MIN * data->n_rows);
	unsigned i, j;

	for (i = 0; i < components->n; i++) {
		const struct tree_model *one = &components->models[i];

		if (one->probability * data->n_rows < least || is_wide(&one->fit))
			return false;
		for (j = 0; j < i; j++)
			if (!is_apart(data, &components->models[j].fit, &one->fit))
				return false;
	}
	return components->n > 1;
}

/* Is it worth the time? What is believed is left alone unless it leaves clusters. */
static bool is_worth_a_try(const struct search *search, const struct fit *fit,
			   const struct fit *formula)
{
	unsigned i;

	for (i = 0; formula && i < formula->candidate.basis.n_features; i++)
		if (!is_everywhere(search->data, formula->columns[i]))
			return false;
	return formula != fit ||
	       ((fit->r2 < R2_NO_MODES || fit->is_trend) && leaves_clusters(search, fit));
}

/* R2 of all calls, were @fit their model. */
static double r2_of_all(const struct search *search, const struct fit *fit)
{
	const size_t n = search->data->n_rows;
	double left = 0, all = 0, mean = 0;
	size_t row;

	for (row = 0; row < n; row++)
		mean += search->y[row] / n;
	for (row = 0; row < n; row++) {
		const double residual =
			search->y[row] - mean_at(search->data, fit, row) / search->data->y_max;

		left += residual * residual;
		all += (search->y[row] - mean) * (search->y[row] - mean);
	}
	return all > 0 ? 1 - left / all : 0;
}

/* Most calls follow a formula and the others, which are dearer, none: it is the main trend, and all that is left in @components. */
static bool take_trend(const struct search *search, struct components *components)
{
	const enum metric total = metric_total(search->data->metric->metric);
	struct tree_model *model = &components->models[0];
	const size_t n = search->data->n_rows;

	if (total != METRIC_TIME && total != METRIC_CPU && total != METRIC_WAIT &&
	    total != METRIC_HOLD)
		return false;
	if (components->n != 2 || model->probability < DOMINANT || is_wide(&model->fit) ||
	    !model->fit.candidate.basis.n_features || !is_wide(&components->models[1].fit))
		return false;
	components->n = 1;
	model->probability = 1;
	model->fit.is_trend = true;
	model->fit.n_far = n - model->fit.n_used;
	model->fit.r2_far = r2_of_all(search, &model->fit);
	return true;
}

static bool find(struct search *search, const struct fit *fit, const struct fit *loose,
		 struct components *ret)
{
	const struct fit *formula = fit->candidate.basis.n_features ? fit : loose;
	const struct column *strongest = NULL;

	if (!is_worth_a_try(search, fit, formula))
		return false;
	if (formula)
		attempt_terms(search, formula);
	else
		strongest = find_strongest(search);
	if (formula != fit && formula && !search->best.n &&
	    formula->candidate.basis.n_features == 1)
		strongest = formula->columns[0];
	if (strongest)
		attempt_lines(search, strongest, false);
	if (strongest && !search->best.n)
		attempt_lines(search, strongest, true);
	if (!search->best.n)
		return false;
	components_find(search->data, search->options, search->belongs, search->best.n, ret);
	return ret->has_formula && isfinite(ret->bic) && is_clearly_better(search, ret->bic, fit) &&
	       (are_modes(ret, search->data) || (formula != fit && take_trend(search, ret)));
}

bool modes_curves_find(const struct data *data, const struct model_options *options,
		       const struct fit *fit, const struct fit *loose, struct components *ret)
{
	struct search search;
	bool found;

	if (data->n_rows < ROWS_MIN_CURVES || !(data->y_max > 0))
		return false;
	search_init(&search, data, options);
	found = find(&search, fit, loose, ret);
	search_deinit(&search);
	return found;
}
