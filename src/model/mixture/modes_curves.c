/* Chooses columns; mixture_curves.c finds the curves, mixture_formulas.c their formulas. */
#include "modes_curves.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "mixture.h"
#include "mode_separation.h"
#include "disturbance.h"
#include "model/data/stats.h"
#include "model/regression/score.h"
#include "model/regression/correlation_screen.h"

enum { ROWS_MIN_CURVES = 40 };

#define SIGNIFICANCE 0.01
/* A fit with this R2 hides no modes. */
#define R2_NO_MODES 0.98

struct search {
	const struct dataset *data;
	const struct model_options *options;
	double *y;                        /* over y_max */
	double *columns[MIXTURE_COLUMNS]; /* [0]: unused, the constant is NULL */
	struct mixture best;              /* .n == 0: none */
	unsigned char *belongs;           /* [row] its component in `best` */
};

static void curve_search_init(struct search *search, const struct dataset *data,
			      const struct model_options *options)
{
	double *memory =
		mem_alloc(size_product((MIXTURE_COLUMNS + 1) * sizeof(*memory), data->n_rows));
	unsigned j;
	size_t i;

	*search = (struct search){.data = data, .options = options, .y = memory};
	search->best.bic = INFINITY;
	search->belongs = mem_alloc(data->n_rows);
	for (j = 0; j < MIXTURE_COLUMNS; j++)
		search->columns[j] = memory + (j + 1) * data->n_rows;
	for (i = 0; i < data->n_rows; i++)
		search->y[i] = data_cost(data, i) / data->y_max;
}

static void curve_search_deinit(struct search *search)
{
	free(search->y);
	free(search->belongs);
}

/* Curves of the constant and the first @p - 1 other columns. */
static void curves_try_columns(struct search *search, unsigned p)
{
	const double *columns[MIXTURE_COLUMNS] = {NULL};
	struct mixture mixture;

	memcpy(columns + 1, search->columns + 1, (p - 1) * sizeof(*columns));
	if (!mixture_regressions(search->y, columns, p, search->data->n_rows, &mixture) ||
	    mixture.bic >= search->best.bic)
		return;
	if (mixture_refine(search->y, search->data->n_rows, mixture_formulas_least(search->data),
			   &mixture, search->belongs))
		search->best = mixture;
}

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
	curves_try_columns(search, p);
}

/* Straight lines of one feature, or parabolas, which approximate other growth. */
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
		curves_try_columns(search, bent ? 3 : 2);
}

/* Is a feature's rank correlation with the metric significant, as the best of many? */
static bool goes_along(const struct dataset *data, const struct predictor *predictor)
{
	const double r = dataset_rank_correlation(data, predictor - data->predictors);

	return 2 * stats_rank_chance(r, data->n_choice) * data->n_predictors <= SIGNIFICANCE;
}

/* The strongest feature when there is no fit, a returned value only if it is alone; NULL: none. */
static const struct column *find_strongest(const struct search *search)
{
	const struct dataset *data = search->data;
	size_t list[STRENGTH_LIST];
	size_t n = data->n_predictors ? correlation_screen_list(data, list) : 0;
	const struct predictor *found = NULL;
	size_t i;

	for (i = 0; i < n && (!found || found->returned); i++)
		if (!found || !data->predictors[list[i]].returned)
			found = &data->predictors[list[i]];
	return found && !found->of_system &&
			       dataset_count_present(data, found->column) == data->n_rows &&
			       goes_along(data, found)
		       ? found->column
		       : NULL;
}

/* What @fit says of each row, over y_max. */
static double *fitted_of(const struct search *search, const struct fit *fit)
{
	const size_t n = search->data->n_rows;
	double *fitted = mem_alloc(n * sizeof(*fitted));
	size_t row;

	for (row = 0; row < n; row++)
		fitted[row] = mixture_formulas_mean(search->data, fit, row) / search->data->y_max;
	return fitted;
}

/* Do a formula's residuals, over its deviation, have several clusters? */
static bool leaves_clusters(const struct search *search, const struct fit *fit)
{
	const double base = fit->deviation_base / search->data->y_max;
	double *left = fitted_of(search, fit);
	struct clusters clusters;
	size_t row;

	for (row = 0; row < search->data->n_rows; row++) {
		const double mean = left[row];

		left[row] = search->y[row] - mean;
		if (fit->deviation_part > 0)
			left[row] /= fmax(base + fit->deviation_part * fmax(mean, 0), DBL_EPSILON);
	}
	density_clusters_find(left, search->data->n_rows, &clusters);
	free(left);
	return clusters.n > 1;
}

/* BIC of @fit alone, with the noise that goes with it; as in mixture_curves.c. */
static double bic_of(const struct search *search, const struct fit *fit)
{
	const size_t n = search->data->n_rows;
	double *fitted = fitted_of(search, fit);
	const struct lsq_design design = {.n = n, .p = 1, .y = search->y, .columns = {fitted}};
	struct robust *noise = robust_create(n);
	struct lsq *lsq = lsq_create();
	struct lsq_solution ignored;
	double ret = -INFINITY;

	if (robust_fit_along(noise, lsq, &design, fitted, &ignored))
		ret = score_unscale(mixture_single(noise, n, fit->n_terms, fitted), n,
				    search->data->y_max);
	lsq_destroy(lsq);
	robust_destroy(noise);
	free(fitted);
	return ret;
}

/* With many rows any misfit is significant. */
static bool is_clearly_better(const struct search *search, double bic, const struct fit *fit)
{
	return (bic_of(search, fit) - bic) * score_weight(search->data->n_rows) > SCORE_CLEARLY;
}

/* Is a search worth its time? A believed fit is kept unless its residuals have clusters. */
static bool is_worth_a_try(const struct search *search, const struct fit *fit,
			   const struct fit *formula)
{
	unsigned i;

	for (i = 0; formula && i < formula->candidate.basis.n_features; i++)
		if (dataset_count_present(search->data, formula->columns[i]) < search->data->n_rows)
			return false;
	return formula != fit ||
	       ((fit->r2 < R2_NO_MODES || fit->is_trend) && leaves_clusters(search, fit));
}

/* What @fit says, summed over the calls. */
static double sum_of(const struct search *search, const struct fit *fit)
{
	double ret = 0;

	for (size_t row = 0; row < search->data->n_rows; row++)
		ret += mixture_formulas_mean(search->data, fit, row);
	return ret;
}

/* Are all curves, of rising costs, spells of one? */
static bool curves_are_spells(const struct search *search, const struct mixture_formulas *curves)
{
	unsigned i;

	for (i = 0; i + 1 < curves->n; i++)
		if (!disturbance_is_near(sum_of(search, &curves->models[i].fit),
					 sum_of(search, &curves->models[i + 1].fit)) ||
		    !disturbance_in_spells(search->data, search->belongs, i, i + 1))
			return false;
	return true;
}

static bool curves_find(struct search *search, const struct fit *fit, const struct fit *loose,
			struct mixture_formulas *ret)
{
	const struct fit *formula = fit->candidate.basis.n_features ? fit : loose;
	const struct column *strongest = NULL;

	if (!is_worth_a_try(search, fit, formula) || model_options_are_over(search->options))
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
	if (!search->best.n || model_options_are_over(search->options))
		return false;
	mixture_formulas_find(search->data, search->options, search->belongs, search->best.n, ret);
	mixture_formulas_join(search->data, search->options, search->belongs, search->best.n, ret);
	if (!ret->has_formula || !isfinite(ret->bic) || model_options_are_over(search->options) ||
	    !is_clearly_better(search, ret->bic, fit))
		return false;
	ret->in_spells = formula == fit && curves_are_spells(search, ret);
	if (ret->in_spells)
		return false;
	return mode_separation_holds(search->data, ret) ||
	       (formula != fit && mode_separation_take_trend(search->data, ret));
}

bool modes_curves_find(const struct dataset *data, const struct model_options *options,
		       const struct fit *fit, const struct fit *loose, struct mixture_formulas *ret)
{
	struct search search;
	bool found;

	if (data->n_rows < ROWS_MIN_CURVES || !(data->y_max > 0))
		return false;
	curve_search_init(&search, data, options);
	found = curves_find(&search, fit, loose, ret);
	curve_search_deinit(&search);
	return found;
}
