/*
 * Which columns the curves may have is found here; the curves are mixture_curves.c's matter, and their formulas components.c's.
 */
#include "model/modes_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

#include "base/mem.h"
#include "model/mixture.h"
#include "model/strength.h"
#include "model/unimodal.h"

enum { ROWS_MIN_CURVES = 40, ROWS_COUNTED = 300, MODE_ROWS_MIN = 10 };

/* Fewer calls are no mode. */
#define MODE_PART_MIN 0.05
/* How much better several must be, by BIC. */
#define CLEARLY 20.0
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

static double grow(enum growth growth, double x)
{
	switch (growth) {
	case GROWTH_CONSTANT:
	case GROWTH_COUNT:
		break;
	case GROWTH_LOG:
		return log(x);
	case GROWTH_SQRT:
		return sqrt(x);
	case GROWTH_LINEAR:
		return x;
	case GROWTH_NLOGN:
		return x > 0 ? x * log(x) : 0;
	case GROWTH_QUADRATIC:
		return x * x;
	case GROWTH_CUBIC:
		return x * x * x;
	}
	return 1;
}

/* Curves of one growth of one feature. */
static void attempt_growth(struct search *search, const struct column *column, enum growth growth)
{
	double *column_to = search->columns[1];
	double largest = 0, most = 0;
	size_t i;

	for (i = 0; i < search->data->n_rows; i++)
		largest = fmax(largest, fabs(column->numbers[search->data->order[i]]));
	for (i = 0; i < search->data->n_rows; i++) {
		const double x = column->numbers[search->data->order[i]];

		/* x log x in units of x; powers in parts of the largest */
		column_to[i] = growth == GROWTH_LOG || growth == GROWTH_NLOGN
				       ? grow(growth, x)
				       : grow(growth, x / largest);
		most = fmax(most, fabs(column_to[i]));
	}
	if (!isfinite(most) || !(most > 0))
		return;
	for (i = 0; i < search->data->n_rows; i++)
		column_to[i] /= most;
	attempt(search, 2);
}

static void attempt_feature(struct search *search, const struct column *column)
{
	static const enum growth growths[] = {GROWTH_LINEAR, GROWTH_NLOGN, GROWTH_QUADRATIC};
	unsigned i;

	for (i = 0; i < sizeof(growths) / sizeof(*growths); i++)
		attempt_growth(search, column, growths[i]);
}

/* The strongest feature without a fit; NULL: none. */
static const struct column *find_strongest(const struct data *data)
{
	size_t list[STRENGTH_LIST];
	size_t n = data->n_predictors ? strength_list(data, list) : 0;

	return n && !data->predictors[list[0]].of_system ? data->predictors[list[0]].column : NULL;
}

/* BIC of @fit with noise of one hump, even or in proportion to the cost; as in mixture_curves.c. */
static double bic_of(const struct search *search, const struct fit *fit, bool relative)
{
	const struct data *data = search->data;
	double *residual = mem_alloc(data->n_rows * sizeof(*residual));
	double logs = 0, typical = 0, units[FIT_TERMS], ret;
	unsigned i, j;
	size_t row;

	for (j = 0; j < fit->n_terms; j++)
		basis_coefficient(&fit->candidate.basis, fit->terms[j], 1, data->y_max, &units[j]);
	for (row = 0; row < data->n_rows; row++)
		typical += fabs(search->y[row]) / data->n_rows;
	for (row = 0; row < data->n_rows; row++) {
		double mean = 0, spread, x[BASIS_FEATURES] = {0};

		for (i = 0; i < fit->candidate.basis.n_features; i++)
			x[i] = fit->columns[i]->numbers[data->order[row]];
		for (j = 0; j < fit->n_terms; j++)
			mean += fit->coefficients[j] / units[j] *
				basis_value(&fit->candidate.basis, fit->terms[j], x);
		spread = relative ? fmax(fabs(mean), FLOOR * typical) : 1;
		residual[row] = (search->y[row] - mean) / spread;
		logs += log(spread);
	}
	gsl_sort(residual, 1, data->n_rows);
	ret = residual[0] < residual[data->n_rows - 1]
		      ? -2 * (unimodal_log_likelihood(residual, data->n_rows) - logs) +
				(fit->n_terms + 3) * log(data->n_rows)
		      : -INFINITY;
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

static bool are_modes(const struct components *components, size_t n)
{
	unsigned i;

	for (i = 0; i < components->n; i++)
		if (components->models[i].probability * n < fmax(MODE_ROWS_MIN, MODE_PART_MIN * n))
			return false;
	return components->n > 1;
}

static bool find(struct search *search, const struct fit *fit, const struct fit *loose,
		 struct components *ret)
{
	const struct fit *formula = fit->candidate.basis.n_features ? fit : loose;
	const struct column *strongest = NULL;
	unsigned i;

	for (i = 0; formula && i < formula->candidate.basis.n_features; i++)
		if (!is_everywhere(search->data, formula->columns[i]))
			return false;
	if (formula)
		attempt_terms(search, formula);
	if (formula && formula->candidate.basis.n_features == 1)
		strongest = formula->columns[0];
	else if (!formula)
		strongest = find_strongest(search->data);
	if (strongest && is_everywhere(search->data, strongest))
		attempt_feature(search, strongest);
	if (!search->best.n)
		return false;
	components_find(search->data, search->options, search->belongs, search->best.n, ret);
	return ret->has_formula && isfinite(ret->bic) && are_modes(ret, search->data->n_rows) &&
	       is_clearly_better(search, ret->bic, fit);
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
