/* Correlations, and short lists by them. */
#include "correlation_screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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
enum { PRODUCTS_MAX = 8 };

static double correlation(const struct moments *moments)
{
	return fabs(moments_correlation(moments));
}

static double correlation_scale(const struct predictor *predictor)
{
	return fmax(fabs(predictor->min), fabs(predictor->max));
}

static double growth_correlation(const struct dataset *data, const struct predictor *predictor,
				 const double *y)
{
	static const enum growth growths[] = {GROWTH_LINEAR, GROWTH_NLOGN, GROWTH_QUADRATIC};
	const double scale = correlation_scale(predictor);
	double strongest = 0;
	size_t i, j;

	for (j = 0; j < sizeof(growths) / sizeof(*growths); j++) {
		struct moments c = {0};

		for (i = 0; i < data->n_choice; i++)
			if (predictor->present[i])
				moments_add(&c, 1,
					    growth_scaled(growths[j], predictor->x[i], scale, 1),
					    y[i]);
		strongest = fmax(strongest, correlation(&c));
	}
	return strongest;
}

/* Spearman's correlation; rows are in metric order, so their indices are its ranks. */
static double rank_correlation(const struct dataset *data, const struct predictor *predictor,
			       struct point *ranked)
{
	struct moments c = {0};
	size_t n = 0;
	size_t i, j, k;

	for (i = 0; i < data->n_choice; i++)
		if (predictor->present[i])
			ranked[n++] = (struct point){predictor->x[i], i};
	moments_sort_points(ranked, n);
	for (i = 0; i < n; i = j) {
		for (j = i; j < n && ranked[j].x == ranked[i].x; j++)
			;
		for (k = i; k < j; k++)
			moments_add(&c, 1, (i + j) / 2.0, ranked[k].y);
	}
	return correlation(&c);
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

static size_t add_unless_there(size_t predictor, size_t *list, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (list[i] == predictor)
			return length;
	list[length] = predictor;
	return length + 1;
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
		length = add_unless_there(strengths[i].predictor, list, length);
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
	struct strength *strengths = mem_alloc(n * sizeof(*strengths));
	struct point *ranked = mem_alloc(data->n_choice * sizeof(*ranked));
	double *clipped = mem_alloc(data->n_choice * sizeof(*clipped));
	size_t length = 0;
	unsigned measure;
	size_t i;

	candidate_clip(data->y, data->n_choice, clipped);
	for (measure = 0; measure < STRENGTH_MEASURES; measure++) {
		for (i = 0; i < n; i++) {
			const struct predictor *predictor = &data->predictors[i];

			strengths[i].predictor = i;
			strengths[i].value =
				measure == 2 ? rank_correlation(data, predictor, ranked)
					     : growth_correlation(data, predictor,
								  measure ? clipped : data->y);
		}
		length = add_top(data, strengths, n, ret, length);
	}
	length = add_system(data, strengths, n, 0, ret, length);
	free(strengths);
	free(ranked);
	free(clipped);
	return length;
}

/* The largest correlation of the residuals with @other, alone or times one of the features. */
static double residual_correlation(const struct chooser *chooser, const struct candidate *candidate,
				   const struct predictor *other)
{
	const struct dataset *data = chooser->data;
	const struct robust *robust = chooser->robust;
	struct moments plain = {0}, weighted = {0}, square = {0};
	struct moments product[BASIS_FEATURES] = {{0}};
	double scale = correlation_scale(other);
	double strongest;
	unsigned j;
	size_t i;

	for (i = 0; i < chooser->n; i++) {
		size_t row = chooser->rows[i];
		double z = robust->residual[i] / (robust->spread[i] * robust->scale);
		double u = other->x[row] / scale;

		if (!other->present[row])
			continue;
		z = fmin(fmax(z, -CLIP_RESIDUAL), CLIP_RESIDUAL);
		moments_add(&plain, 1, u, z);
		moments_add(&weighted, 1, u / robust->spread[i], z);
		moments_add(&square, 1, u * u / robust->spread[i], z);
		for (j = 0; j < candidate->basis.n_features; j++) {
			const struct predictor *own = &data->predictors[candidate->predictors[j]];

			moments_add(&product[j], 1,
				    u * (own->x[row] / correlation_scale(own)) / robust->spread[i],
				    z);
		}
	}
	strongest = fmax(correlation(&plain), correlation(&weighted));
	strongest = fmax(strongest, correlation(&square));
	for (j = 0; j < candidate->basis.n_features; j++)
		strongest = fmax(strongest, correlation(&product[j]));
	return strongest;
}

size_t correlation_screen_seconds(const struct chooser *chooser, const struct candidate *candidate,
				  size_t *ret)
{
	const struct dataset *data = chooser->data;
	struct strength *strengths = mem_alloc(data->n_predictors * sizeof(*strengths));
	size_t length;
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_predictors; i++) {
		if (candidate_has(candidate, i))
			continue;
		strengths[n].predictor = i;
		strengths[n++].value =
			residual_correlation(chooser, candidate, &data->predictors[i]);
	}
	length = add_top(data, strengths, n, ret, 0);
	length = add_system(data, strengths, n, SYSTEM_CORRELATION, ret, length);
	free(strengths);
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
				   const size_t *list, size_t n, size_t max, size_t (*ret)[2])
{
	const struct predictor *predictors = chooser->data->predictors;
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
			if (value < PRODUCT_LEAST)
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
