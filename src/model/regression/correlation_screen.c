/* Correlations, and short lists by them. */
#include "correlation_screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/size.h"
#include "growth_column.h"
#include "model/data/lanes.h"
#include "model/data/moments.h"

/* Minimum for a second system feature: a quarter of the residual variance. */
#define SYSTEM_CORRELATION 0.5
/* Residuals are clipped at this many scales. */
#define CLIP_RESIDUAL 4.0
/* Products span more decades: the large ones decide. */
#define CLIP_PRODUCT 20.0
/*
 * Products must explain at least an eighth of the residual variance; to be useful they must explain
 * a fifth.
 */
#define PRODUCT_LEAST 0.35
/* Their growths may leave so much less, in log residual variance, than lines do. */
#define PRODUCT_GROWS 5.0
enum { PRODUCTS_MAX = 8 };

static double correlation(const struct moments *moments)
{
	return fabs(moments_correlation(moments));
}

static double correlation_scale(const struct predictor *predictor)
{
	return fmax(fabs(predictor->min), fabs(predictor->max));
}

/* Some rows that have a predictor: columns of as many as there are choice rows. */
struct screened {
	size_t n;
	double *u;    /* the predictor, scaled */
	double *log;  /* its logarithm, then scratch */
	double *v;    /* scratch */
	double *y[2]; /* what it may explain */
};

static void screened_init(struct screened *some, size_t n)
{
	double *columns = mem_alloc(5 * n * sizeof(*columns));

	*some = (struct screened){
		0, columns, columns + n, columns + 2 * n, {columns + 3 * n, columns + 4 * n}};
}

static void screened_deinit(struct screened *some)
{
	free(some->u);
}

/* The largest correlation of a growth of the predictor with the clipped metric. */
static double growth_correlation(const struct dataset *data, const struct predictor *predictor,
				 const double *clipped, struct screened *some)
{
	static const enum growth growths[] = {GROWTH_LINEAR, GROWTH_NLOGN, GROWTH_QUADRATIC};
	double ret = 0;
	unsigned j;
	size_t i;

	some->n = 0;
	for (i = 0; i < data->n_choice; i++) {
		if (!predictor->present[i])
			continue;
		some->y[0][some->n] = clipped[i];
		some->u[some->n++] = predictor->x[i];
	}
	growth_column_scale(some->u, some->n, correlation_scale(predictor), 1, some->u, some->log);
	for (j = 0; j < sizeof(growths) / sizeof(*growths); j++) {
		growth_column_fill(growths[j], some->u, some->log, some->n, some->v);
		ret = fmax(ret, fabs(lanes_correlation(some->v, some->y[0], some->n)));
	}
	return ret;
}

struct strength {
	double value;
	size_t predictor;
};

static int compare_strengths(const void *a, const void *b)
{
	const struct strength *left = a;
	const struct strength *right = b;

	if (left->value != right->value)
		return left->value > right->value ? -1 : 1;
	return (left->predictor > right->predictor) - (left->predictor < right->predictor);
}

/*
 * Add the strongest program features to @list; returns its new length. Booleans are conditions, not
 * factors.
 */
static size_t add_top(const struct dataset *data, struct strength *strengths, size_t n,
		      size_t *list, size_t length)
{
	size_t early = 0;
	size_t late = 0;
	size_t i;

	qsort(strengths, n, sizeof(*strengths), compare_strengths);
	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[strengths[i].predictor];

		if (predictor->of_system || predictor->column->type == FEATURE_BOOL ||
		    (predictor->returned ? late++ >= STRENGTH_TOP_RETURNED
					 : early++ >= STRENGTH_TOP))
			continue;
		length = candidate_list_once(list, length, strengths[i].predictor);
	}
	return length;
}

/* Add the strongest system features of at least @least. */
static size_t add_system(const struct dataset *data, const struct strength *strengths, size_t n,
			 double least, size_t *list, size_t length)
{
	size_t added = 0;
	size_t i;

	for (i = 0; i < n && added < SYSTEM_VALUE_COUNT && strengths[i].value >= least; i++) {
		if (!data->predictors[strengths[i].predictor].of_system)
			continue;
		list[length++] = strengths[i].predictor;
		added++;
	}
	return length;
}

size_t correlation_screen_list(const struct dataset *data, size_t *ret)
{
	size_t n = data->n_predictors;
	struct strength *strengths = mem_alloc(STRENGTH_MEASURES * n * sizeof(*strengths));
	double *clipped = mem_alloc(data->n_choice * sizeof(*clipped));
	struct screened some;
	size_t length = 0;
	unsigned measure;
	size_t i;

	candidate_clip(data->y, data->n_choice, CANDIDATE_CLIP, clipped);
	screened_init(&some, data->n_choice);
	for (i = 0; i < n; i++) {
		strengths[i] = (struct strength){
			growth_correlation(data, &data->predictors[i], clipped, &some), i};
		strengths[n + i] = (struct strength){dataset_rank_correlation(data, i), i};
	}
	for (measure = 0; measure < STRENGTH_MEASURES; measure++)
		length = add_top(data, strengths + measure * n, n, ret, length);
	length = add_system(data, strengths + (measure - 1) * n, n, 0, ret, length);
	free(strengths);
	free(clipped);
	screened_deinit(&some);
	return length;
}

/* What a model leaves, over its scale and clipped, in the rows of the chooser. */
struct left_over {
	const struct chooser *chooser;
	unsigned n_factors;
	/* 1 / spread, and each feature of the model, scaled, over the spread */
	double *factors[BASIS_FEATURES + 1];
	double *z;
};

static void left_over_init(struct left_over *left, const struct chooser *chooser,
			   const struct candidate *candidate, double clip)
{
	const struct robust *robust = chooser->robust;
	const size_t n = chooser->n;
	size_t i;
	unsigned j;

	left->chooser = chooser;
	left->n_factors = candidate->basis.n_features + 1;
	left->z = mem_alloc(size_product((left->n_factors + 1) * sizeof(double), n));
	for (j = 0; j < left->n_factors; j++)
		left->factors[j] = left->z + (j + 1) * n;
	for (i = 0; i < n; i++) {
		const double z = robust->residual[i] / (robust->spread[i] * robust->scale);

		left->z[i] = fmin(fmax(z, -clip), clip);
		left->factors[0][i] = 1 / robust->spread[i];
	}
	for (j = 1; j < left->n_factors; j++) {
		const struct predictor *own =
			&chooser->data->predictors[candidate->predictors[j - 1]];
		const double scale = correlation_scale(own);

		for (i = 0; i < n; i++)
			left->factors[j][i] =
				own->x[chooser->rows[i]] / scale * left->factors[0][i];
	}
}

static void left_over_deinit(struct left_over *left)
{
	free(left->z);
}

/* The factor @which in the rows that have @predictor. */
static const double *left_over_rows(const struct left_over *left, const double *column,
				    const struct predictor *predictor, size_t n, double *scratch)
{
	const struct chooser *chooser = left->chooser;
	size_t kept = 0;
	size_t i;

	if (n == chooser->n)
		return column;
	for (i = 0; i < chooser->n; i++)
		if (predictor->present[chooser->rows[i]])
			scratch[kept++] = column[i];
	return scratch;
}

/* The largest correlation of the residuals with @other, alone or times one of the features. */
static double residual_correlation(const struct left_over *left, const struct predictor *other,
				   struct screened *some)
{
	const double scale = correlation_scale(other);
	const struct chooser *chooser = left->chooser;
	const double *z, *factor;
	double strongest;
	unsigned j;
	size_t i;

	some->n = 0;
	for (i = 0; i < chooser->n; i++)
		if (other->present[chooser->rows[i]])
			some->u[some->n++] = other->x[chooser->rows[i]] / scale;
	z = left_over_rows(left, left->z, other, some->n, some->y[0]);
	strongest = fabs(lanes_correlation(some->u, z, some->n));
	for (j = 0; j < left->n_factors; j++) {
		factor = left_over_rows(left, left->factors[j], other, some->n, some->y[1]);
		lanes_multiply(some->u, factor, some->n, some->v);
		strongest = fmax(strongest, fabs(lanes_correlation(some->v, z, some->n)));
		if (j)
			continue;
		lanes_multiply(some->u, some->v, some->n, some->v);
		strongest = fmax(strongest, fabs(lanes_correlation(some->v, z, some->n)));
	}
	return strongest;
}

size_t correlation_screen_seconds(const struct chooser *chooser, const struct candidate *candidate,
				  size_t *ret)
{
	const struct dataset *data = chooser->data;
	struct strength *strengths = mem_alloc(data->n_predictors * sizeof(*strengths));
	struct left_over left;
	struct screened some;
	size_t length;
	size_t n = 0;
	size_t i;

	left_over_init(&left, chooser, candidate, CLIP_RESIDUAL);
	screened_init(&some, chooser->n);
	for (i = 0; i < data->n_predictors; i++)
		if (!candidate_has(candidate, i))
			strengths[n++] = (struct strength){
				residual_correlation(&left, &data->predictors[i], &some), i};
	length = add_top(data, strengths, n, ret, 0);
	length = add_system(data, strengths, n, SYSTEM_CORRELATION, ret, length);
	free(strengths);
	left_over_deinit(&left);
	screened_deinit(&some);
	return length;
}

static double product_correlation(const struct chooser *chooser, const struct predictor *a,
				  const struct predictor *b)
{
	const struct robust *robust = chooser->robust;
	const double scale = correlation_scale(a) * correlation_scale(b);
	struct moments c = {0};
	size_t i;

	for (i = 0; i < chooser->n; i++) {
		const size_t row = chooser->rows[i];
		double z = robust->residual[i] / (robust->spread[i] * robust->scale);

		if (!a->present[row] || !b->present[row])
			continue;
		z = fmin(fmax(z, -CLIP_PRODUCT), CLIP_PRODUCT);
		moments_add(&c, 1, a->x[row] * b->x[row] / scale / robust->spread[i], z);
	}
	return correlation(&c);
}

size_t correlation_screen_products(const struct chooser *chooser, const struct candidate *candidate,
				   double best, const size_t *list, size_t n, size_t max,
				   size_t (*ret)[2])
{
	const struct predictor *predictors = chooser->data->predictors;
	const double needed =
		(candidate->score - best) / candidate_chooser_rows(chooser) - PRODUCT_GROWS;
	const double least = fmax(PRODUCT_LEAST, sqrt(1 - exp(-fmax(needed, 0))));
	double values[PRODUCTS_MAX];
	size_t length = 0;
	size_t i, j, k;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++) {
			double value;

			if (candidate_has(candidate, list[i]) || candidate_has(candidate, list[j]))
				continue;
			value = product_correlation(chooser, &predictors[list[i]],
						    &predictors[list[j]]);
			if (value < least)
				continue;
			for (k = length; k && values[k - 1] < value; k--) {
				if (k == max || k == PRODUCTS_MAX)
					continue;
				values[k] = values[k - 1];
				memcpy(ret[k], ret[k - 1], sizeof(*ret));
			}
			if (k == max || k == PRODUCTS_MAX)
				continue;
			values[k] = value;
			ret[k][0] = list[j];
			ret[k][1] = list[i];
			if (length < max && length < PRODUCTS_MAX)
				length++;
		}
	return length;
}

double correlation_screen_between(const struct dataset *data, size_t a, size_t b)
{
	const struct predictor *left = &data->predictors[a];
	const struct predictor *right = &data->predictors[b];
	struct moments c = {0};
	size_t i;

	for (i = 0; i < data->n_choice; i++)
		if (left->present[i] && right->present[i])
			moments_add(&c, 1, left->x[i] / correlation_scale(left),
				    right->x[i] / correlation_scale(right));
	return c.weight >= ROWS_MIN ? correlation(&c) : 0;
}
