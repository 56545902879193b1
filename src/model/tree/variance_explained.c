/*
 * Curves by least squares; steps and pairs of lines by running sums along the feature.
 *
 * Cheap enough for thousands of features: a triangular solve and a pass over the rows each.
 * feature_selection.c chooses the features of models, by robust measures.
 */
#include "variance_explained.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/regression/basis.h"
#include "model/data/dataset.h"
#include "model/data/moments.h"

#define PRESENT_MIN 0.5
/*
 * Terms that the best of many break points is worth under the null: about the mean of the supremum
 * of the squared statistics over all places. Source: Andrews, Tests for parameter instability and
 * structural change with unknown change point, Econometrica 61 (1993).
 */
#define PLACE_TERMS 5
/* The same for the best of several growths. */
#define GROWTH_TERMS 1
/* The part of the squares that is rounding. */
#define ROUNDING 1e-13

struct explainer {
	struct lsq *lsq;
	struct point *cells; /* [n] rows with the feature, sorted by it */
	double *columns[BASIS_TERMS];
	double *y, *ones;
	basis_mask models[BASIS_MODELS];
};

void variance_explained_init(struct variance_explained *explaining, const size_t *rows,
			     const double *y, size_t n)
{
	struct explainer *explainer = mem_alloc(sizeof(*explainer));
	size_t i;

	*explaining = (struct variance_explained){rows, y, n, explainer};
	explainer->lsq = lsq_create();
	explainer->cells = mem_alloc((n + 1) * sizeof(*explainer->cells));
	explainer->y = mem_alloc((n + 1) * sizeof(double));
	explainer->ones = mem_alloc((n + 1) * sizeof(double));
	for (i = 0; i < n; i++)
		explainer->ones[i] = 1;
}

void variance_explained_deinit(struct variance_explained *explaining)
{
	struct explainer *explainer = explaining->explainer;
	unsigned i;

	lsq_destroy(explainer->lsq);
	free(explainer->cells);
	free(explainer->y);
	free(explainer->ones);
	for (i = 0; i < BASIS_TERMS; i++)
		free(explainer->columns[i]);
	free(explainer);
}

/* The squares that a line leaves. */
static double around_line(const struct moments *sums)
{
	const double all = sums->xx + sums->weight * sums->x * sums->x;

	return sums->xx > ROUNDING * all ? fmax(sums->yy - sums->xy * sums->xy / sums->xx, 0)
					 : sums->yy;
}

struct trial {
	struct explainer *explainer;
	size_t n;          /* rows with the feature */
	size_t n_all;      /* all rows */
	size_t n_distinct; /* distinct values */
	double mean;       /* of all rows */
	double total;      /* squares around `mean` */
	double absent;     /* squares of the rows without it, around their mean */
	double best;       /* explained, adjusted */
};

/* @left: squares left in the rows with the feature by @n_terms and a constant. */
static void explained_judge(struct trial *trial, double left, double n_terms)
{
	const double groups = trial->n < trial->n_all;
	const double free = trial->n_all - 1 - groups - n_terms;
	const double part = (left + trial->absent) / trial->total;

	if (free > 0)
		trial->best = fmax(trial->best, 1 - part * (trial->n_all - 1) / free);
}

/* False: too few rows have it. */
static bool explained_read_rows(const struct variance_explained *explaining,
				const struct column *column, struct trial *trial)
{
	struct point *cells = trial->explainer->cells;
	struct moments all = {0}, absent = {0};
	size_t i;

	for (i = 0; i < explaining->n; i++)
		trial->mean += explaining->y[i] / explaining->n;
	for (i = 0; i < explaining->n; i++) {
		const size_t row = explaining->rows[i];
		const double y = explaining->y[i] - trial->mean;

		moments_add(&all, 1, 0, y);
		if (column->absence[row] == PRESENT && isfinite(column->numbers[row]))
			cells[trial->n++] = (struct point){column->numbers[row], y};
		else
			moments_add(&absent, 1, 0, y);
	}
	trial->n_all = explaining->n;
	trial->total = all.yy;
	trial->absent = absent.yy;
	moments_sort_points(cells, trial->n);
	for (i = 0; i < trial->n; i++)
		trial->n_distinct += !i || cells[i].x != cells[i - 1].x;
	return trial->n >= ROWS_MIN && trial->n >= PRESENT_MIN * trial->n_all;
}

static void try_means(struct trial *trial)
{
	const struct point *cells = trial->explainer->cells;
	double left = 0;
	size_t i, j;

	for (i = 0; i < trial->n; i = j) {
		struct moments group = {0};

		for (j = i; j < trial->n && cells[j].x == cells[i].x; j++)
			moments_add(&group, 1, 0, cells[j].y);
		left += group.yy;
	}
	explained_judge(trial, left, trial->n_distinct - 1);
}

static double *column_of(struct trial *trial, unsigned term)
{
	struct explainer *explainer = trial->explainer;

	if (!explainer->columns[term])
		explainer->columns[term] = mem_alloc((trial->n_all + 1) * sizeof(double));
	return explainer->columns[term];
}

static void explained_describe(const struct trial *trial, const struct column *column,
			       struct basis *ret)
{
	const struct point *cells = trial->explainer->cells;

	*ret = (struct basis){.n_features = 1};
	ret->features[0] =
		basis_feature(column->type, cells[0].x, cells[trial->n - 1].x, trial->n_distinct);
	basis_init(ret, false);
}

static void try_curves(struct trial *trial, const struct column *column)
{
	struct explainer *explainer = trial->explainer;
	struct lsq_design design = {.n = trial->n, .y = explainer->y};
	struct lsq_solution solution;
	struct basis basis;
	size_t n_models, i;
	unsigned term;

	explained_describe(trial, column, &basis);
	design.p = basis.n_terms;
	for (term = 0; term < basis.n_terms; term++) {
		double *values = column_of(trial, term);

		for (i = 0; i < trial->n; i++)
			values[i] = basis_value(&basis, term, &explainer->cells[i].x);
		design.columns[term] = values;
	}
	for (i = 0; i < trial->n; i++)
		explainer->y[i] = explainer->cells[i].y;
	if (!lsq_reduce(explainer->lsq, &design, explainer->ones))
		return;
	n_models = basis_models(&basis, explainer->models);
	for (i = 0; i < n_models; i++) {
		const basis_mask mask = explainer->models[i] | 1;

		if (lsq_solve(explainer->lsq, mask, &solution))
			explained_judge(trial, solution.sse,
					__builtin_popcountll(mask) - 1 +
						(basis.features[0].linear_only ? 0 : GROWTH_TERMS));
	}
}

/* The best break point for two means and for two lines. */
static void try_places(struct trial *trial)
{
	const struct point *cells = trial->explainer->cells;
	const double scale = fmax(fabs(cells[0].x), fabs(cells[trial->n - 1].x));
	struct moments below = {0}, above = {0};
	double means = INFINITY, lines = INFINITY;
	size_t i;

	for (i = 0; i < trial->n; i++)
		moments_add(&above, 1, cells[i].x / scale, cells[i].y);
	for (i = 0; i + 1 < trial->n; i++) {
		moments_add(&below, 1, cells[i].x / scale, cells[i].y);
		moments_add(&above, -1, cells[i].x / scale, cells[i].y);
		if (cells[i].x == cells[i + 1].x)
			continue;
		means = fmin(means, below.yy + above.yy);
		lines = fmin(lines, around_line(&below) + around_line(&above));
	}
	explained_judge(trial, means, PLACE_TERMS);
	explained_judge(trial, lines, PLACE_TERMS + 2);
}

double variance_explained(struct variance_explained *explaining, const struct column *column)
{
	struct trial trial = {.explainer = explaining->explainer};

	if (!explained_read_rows(explaining, column, &trial) || trial.n_distinct < 2)
		return NAN;
	if (trial.total <= ROUNDING * trial.n_all * trial.mean * trial.mean)
		return 0;
	if (!dataset_column_is_ordered(column) || trial.n_distinct == 2) {
		try_means(&trial);
	} else {
		try_curves(&trial, column);
		try_places(&trial);
	}
	return fmin(trial.best, 1);
}
