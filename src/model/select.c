/*
 * Finding the predictors. Every predictor is screened by three correlations with the metric; the
 * best of each are evaluated alone. Then the best one is paired with those that its residuals
 * depend on, which alone may explain nothing, and the best few are paired with each other, which
 * finds products. Of those that explain about equally well the first by the rule of
 * representatives is taken.
 *
 * Features of the system (load, free memory, calls so far) drift, and so do costs. They are kept
 * apart, so that they take no place of a feature of the program, and must explain far more. So are
 * returned values, which often follow from what the cost depends on, and are no help beforehand.
 */
#include "model/select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	TOP = 6, /* of each correlation */
	TOP_RETURNED = 3,
	MEASURES = 3,
	SHORT_LIST = (TOP + TOP_RETURNED) * MEASURES + SYSTEM_VALUE_COUNT,
	SECONDS = TOP + TOP_RETURNED + SYSTEM_VALUE_COUNT,
	PAIRS_AMONG = 5, /* the best single ones are all paired */
	PAIRS_MAX = SECONDS + PAIRS_AMONG * (PAIRS_AMONG - 1) / 2,
	PAIR_ROWS_MIN = 20,
};

/* Residual variances that differ by less than this part are about equal. */
#define ABOUT_EQUAL 0.05
/* The part of the residual variance that a second feature must explain. */
#define SECOND_PART 0.1
/*
 * The same of a feature that goes one way from call to call, or is the system's: it is in step with
 * everything that drifts, and a drift explains some of any residuals. ln 5: four fifths.
 */
#define FOLLOWER_PART 1.6
/* The same of a returned value, also to be taken alone: half of it. */
#define RETURNED_PART 0.7
/* What cannot explain that much is not even tried as a second: a quarter of the residual variance. */
#define SYSTEM_CORRELATION 0.5
/* Residuals beyond this many scales count as this many. */
#define CLIP_RESIDUAL 4.0

/* A running correlation of two series. */
struct correlation {
	double n, mean_a, mean_b, aa, ab, bb;
};

static void correlation_add(struct correlation *c, double a, double b)
{
	double da = a - c->mean_a;
	double db = b - c->mean_b;

	c->n++;
	c->mean_a += da / c->n;
	c->mean_b += db / c->n;
	c->aa += da * (a - c->mean_a);
	c->bb += db * (b - c->mean_b);
	c->ab += da * (b - c->mean_b);
}

static double correlation_value(const struct correlation *c)
{
	double spread = sqrt(c->aa) * sqrt(c->bb);

	return spread > 0 ? fabs(c->ab / spread) : 0;
}

static double scale_of(const struct predictor *predictor)
{
	return fmax(fabs(predictor->min), fabs(predictor->max));
}

/* The best correlation of @y with x, x log x or its square. */
static double growth_correlation(const struct data *data, const struct predictor *predictor,
				 const double *y)
{
	struct correlation linear = {0}, nlogn = {0}, square = {0};
	double scale = scale_of(predictor);
	size_t i;

	for (i = 0; i < data->n_choice; i++) {
		double x = predictor->x[i];
		double u = x / scale;

		if (!predictor->present[i])
			continue;
		correlation_add(&linear, u, y[i]);
		correlation_add(&nlogn, x > 0 ? u * log(x) : 0, y[i]);
		correlation_add(&square, u * u, y[i]);
	}
	return fmax(correlation_value(&linear),
		    fmax(correlation_value(&nlogn), correlation_value(&square)));
}

struct ranked {
	double x;
	size_t row;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *left = a;
	const struct ranked *right = b;

	if (left->x != right->x)
		return left->x < right->x ? -1 : 1;
	return (left->row > right->row) - (left->row < right->row);
}

/*
 * Spearman's correlation; the rows are in the order of the metric, so their numbers are its ranks.
 */
static double rank_correlation(const struct data *data, const struct predictor *predictor,
			       struct ranked *ranked)
{
	struct correlation c = {0};
	size_t n = 0;
	size_t i, j, k;

	for (i = 0; i < data->n_choice; i++)
		if (predictor->present[i])
			ranked[n++] = (struct ranked){predictor->x[i], i};
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	for (i = 0; i < n; i = j) {
		for (j = i; j < n && ranked[j].x == ranked[i].x; j++)
			;
		for (k = i; k < j; k++)
			correlation_add(&c, (i + j) / 2.0, ranked[k].row);
	}
	return correlation_value(&c);
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

/* Add the strongest features of the program to @list; returns its new length. */
static size_t add_top(const struct data *data, struct strength *strengths, size_t n, size_t *list,
		      size_t length)
{
	size_t early = 0;
	size_t late = 0;
	size_t i;

	qsort(strengths, n, sizeof(*strengths), compare_strengths);
	for (i = 0; i < n; i++) {
		const struct predictor *predictor = &data->predictors[strengths[i].predictor];

		if (predictor->of_system ||
		    (predictor->returned ? late++ >= TOP_RETURNED : early++ >= TOP))
			continue;
		length = add_unless_there(strengths[i].predictor, list, length);
	}
	return length;
}

/* Add the strongest features of the system, of those with a strength of @least. */
static size_t add_system(const struct data *data, const struct strength *strengths, size_t n,
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

static size_t short_list(const struct data *data, size_t *list)
{
	size_t n = data->n_predictors;
	struct strength *strengths = mem_alloc(n * sizeof(*strengths));
	struct ranked *ranked = mem_alloc(data->n_choice * sizeof(*ranked));
	double *clipped = mem_alloc(data->n_choice * sizeof(*clipped));
	size_t length = 0;
	unsigned measure;
	size_t i;

	clip_values(data->y, data->n_choice, clipped);
	for (measure = 0; measure < MEASURES; measure++) {
		for (i = 0; i < n; i++) {
			const struct predictor *predictor = &data->predictors[i];

			strengths[i].predictor = i;
			strengths[i].value =
				measure == 2 ? rank_correlation(data, predictor, ranked)
					     : growth_correlation(data, predictor,
								  measure ? clipped : data->y);
		}
		length = add_top(data, strengths, n, list, length);
	}
	length = add_system(data, strengths, n, 0, list, length);
	free(strengths);
	free(ranked);
	free(clipped);
	return length;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a;
	const struct candidate *right = b;
	size_t i;

	if (left->score != right->score)
		return left->score < right->score ? -1 : 1;
	for (i = 0; i < left->basis.n_features; i++)
		if (left->predictors[i] != right->predictors[i])
			return left->predictors[i] < right->predictors[i] ? -1 : 1;
	return 0;
}

/* The candidate to take: of those about as good as the best, the one that is easiest to name. */
static const struct candidate *take(const struct chooser *chooser,
				    const struct candidate *candidates, size_t n)
{
	const struct candidate *taken = &candidates[0];
	size_t i;

	for (i = 1; i < n; i++) {
		const struct candidate *other = &candidates[i];
		size_t mine = taken->predictors[0] + taken->predictors[1];
		size_t theirs = other->predictors[0] + other->predictors[1];

		if (other->score - candidates[0].score > ABOUT_EQUAL * chooser_rows(chooser))
			break;
		if (theirs < mine)
			taken = other;
	}
	return taken;
}

/* Bring the candidates that @is_apart of to the end, each part in its order; returns how many are not. */
static size_t part(const struct data *data, struct candidate *candidates, size_t n,
		   bool (*is_apart)(const struct data *, const struct candidate *))
{
	struct candidate *apart = mem_alloc(n * sizeof(*apart));
	size_t n_apart = 0;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (is_apart(data, &candidates[i]))
			apart[n_apart++] = candidates[i];
		else
			candidates[kept++] = candidates[i];
	}
	memcpy(&candidates[kept], apart, n_apart * sizeof(*apart));
	free(apart);
	return kept;
}

static bool single_is_of_system(const struct data *data, const struct candidate *single)
{
	return data->predictors[single->predictors[0]].of_system;
}

static bool single_is_returned(const struct data *data, const struct candidate *single)
{
	return data->predictors[single->predictors[0]].returned;
}

static bool pair_follows(const struct data *data, const struct candidate *pair)
{
	return data->predictors[pair->predictors[0]].follows ||
	       data->predictors[pair->predictors[1]].follows;
}

static bool pair_is_returned(const struct data *data, const struct candidate *pair)
{
	return data->predictors[pair->predictors[0]].returned ||
	       data->predictors[pair->predictors[1]].returned;
}

static size_t evaluate_singles(struct chooser *chooser, struct candidate *ret)
{
	size_t list[SHORT_LIST];
	size_t length = short_list(chooser->data, list);
	size_t n = 0;
	size_t i;

	for (i = 0; i < length; i++)
		n += candidate_evaluate(chooser, &list[i], 1, &ret[n]);
	qsort(ret, n, sizeof(*ret), compare_candidates);
	return n;
}

/*
 * How strongly the residuals of the model in the chooser depend on @other, alone or times the
 * model's feature.
 */
static double residual_correlation(const struct chooser *chooser, const struct predictor *own,
				   const struct predictor *other)
{
	const struct robust *robust = chooser->robust;
	struct correlation plain = {0}, weighted = {0}, square = {0}, product = {0};
	double scale = scale_of(other);
	size_t i;

	for (i = 0; i < chooser->n; i++) {
		size_t row = chooser->rows[i];
		double z = robust->residual[i] / (robust->spread[i] * robust->scale);
		double u = other->x[row] / scale;

		if (!other->present[row])
			continue;
		z = fmin(fmax(z, -CLIP_RESIDUAL), CLIP_RESIDUAL);
		correlation_add(&plain, u, z);
		correlation_add(&weighted, u / robust->spread[i], z);
		correlation_add(&square, u * u / robust->spread[i], z);
		correlation_add(&product, u * (own->x[row] / scale_of(own)) / robust->spread[i], z);
	}
	return fmax(fmax(correlation_value(&plain), correlation_value(&weighted)),
		    fmax(correlation_value(&square), correlation_value(&product)));
}

/* The predictors that the residuals of @single depend on most. */
static size_t find_seconds(struct chooser *chooser, const struct candidate *single, size_t *ret)
{
	const struct data *data = chooser->data;
	struct strength *strengths = mem_alloc(data->n_predictors * sizeof(*strengths));
	struct candidate again;
	size_t length = 0;
	size_t n = 0;
	size_t i;

	if (candidate_evaluate(chooser, single->predictors, 1, &again)) {
		const struct predictor *own = &data->predictors[single->predictors[0]];

		for (i = 0; i < data->n_predictors; i++) {
			if (i == single->predictors[0])
				continue;
			strengths[n].predictor = i;
			strengths[n++].value =
				residual_correlation(chooser, own, &data->predictors[i]);
		}
		length = add_top(data, strengths, n, ret, 0);
		length = add_system(data, strengths, n, SYSTEM_CORRELATION, ret, length);
	}
	free(strengths);
	return length;
}

struct pairs {
	size_t predictors[PAIRS_MAX][2];
	size_t n;
};

static void add_pair(struct pairs *pairs, size_t a, size_t b)
{
	size_t low = a < b ? a : b;
	size_t high = a < b ? b : a;
	size_t i;

	for (i = 0; i < pairs->n; i++)
		if (pairs->predictors[i][0] == low && pairs->predictors[i][1] == high)
			return;
	pairs->predictors[pairs->n][0] = low;
	pairs->predictors[pairs->n++][1] = high;
}

static size_t evaluate_pairs(struct chooser *chooser, const struct candidate *singles,
			     size_t n_singles, const struct candidate *single,
			     struct candidate *ret)
{
	struct pairs pairs = {.n = 0};
	size_t seconds[SECONDS];
	size_t length = find_seconds(chooser, single, seconds);
	size_t n = 0;
	size_t i, j;

	for (i = 0; i < length; i++)
		add_pair(&pairs, single->predictors[0], seconds[i]);
	for (i = 0; i < n_singles && i < PAIRS_AMONG; i++)
		for (j = 0; j < i; j++)
			add_pair(&pairs, singles[i].predictors[0], singles[j].predictors[0]);
	for (i = 0; i < pairs.n; i++)
		n += candidate_evaluate(chooser, pairs.predictors[i], 2, &ret[n]);
	qsort(ret, n, sizeof(*ret), compare_candidates);
	return n;
}

/* The single one to take: one of the system only if it explains far more than the program's. */
static const struct candidate *take_single(const struct chooser *chooser,
					   struct candidate *candidates, size_t n)
{
	size_t n_program = part(chooser->data, candidates, n, single_is_of_system);
	const struct candidate *program = n_program ? take(chooser, candidates, n_program) : NULL;
	const struct candidate *system = n_program < n ? &candidates[n_program] : NULL;
	double needed = FOLLOWER_PART * chooser_rows(chooser);

	if (system && system->score + needed < (program ? fmin(program->score, 0) : 0))
		return system;
	return program;
}

/* The best of @n pairs, if it explains @needed of what @best leaves; or else @best. */
static const struct candidate *better_pair(const struct chooser *chooser,
					   const struct candidate *pairs, size_t n, double needed,
					   const struct candidate *best)
{
	double choices = 2 * log(chooser->data->n_predictors);
	const struct candidate *pair = n ? take(chooser, pairs, n) : best;

	if (pair->score + choices + needed * chooser_rows(chooser) < best->score)
		return pair;
	return best;
}

/* Add the best pair if it earns its second feature; @late is the part that a returned value must explain. */
static void select_pair(struct chooser *chooser, const struct candidate *singles, size_t n_singles,
			const struct candidate *single, double late, struct selection *ret)
{
	const struct data *data = chooser->data;
	struct candidate *pairs = mem_alloc(PAIRS_MAX * sizeof(*pairs));
	size_t n = evaluate_pairs(chooser, singles, n_singles, single, pairs);
	size_t n_plain = part(data, pairs, n, pair_follows);
	size_t n_early = part(data, pairs, n_plain, pair_is_returned);
	size_t n_following = n_plain + part(data, pairs + n_plain, n - n_plain, pair_is_returned);
	const struct candidate *best;

	best = better_pair(chooser, pairs, n_early, SECOND_PART, single);
	best = better_pair(chooser, pairs + n_early, n_plain - n_early, late, best);
	best = better_pair(chooser, pairs + n_plain, n_following - n_plain, FOLLOWER_PART, best);
	if (best != single && best->score + 4 * log(data->n_predictors) < 0)
		ret->candidates[ret->n++] = *best;
	free(pairs);
}

/* What @single leads to: a pair, and itself. */
static void select_from(struct chooser *chooser, const struct candidate *singles, size_t n,
			const struct candidate *single, double late, struct selection *ret)
{
	const struct data *data = chooser->data;

	ret->n = 0;
	if (data->n_predictors > 1 && data->n_choice >= PAIR_ROWS_MIN)
		select_pair(chooser, singles, n, single, late, ret);
	if (single->score + 2 * log(data->n_predictors) < 0)
		ret->candidates[ret->n++] = *single;
}

void select_candidates(const struct data *data, struct selection *ret)
{
	struct candidate singles[SHORT_LIST];
	struct chooser *chooser = chooser_create(data);
	double needed = RETURNED_PART * chooser_rows(chooser);
	const struct candidate *single = NULL;
	size_t n = 0;
	size_t n_early;

	ret->n = 0;
	if (data->n_predictors)
		n = evaluate_singles(chooser, singles);
	n_early = part(data, singles, n, single_is_returned);
	if (n_early)
		single = take_single(chooser, singles, n_early);
	if (single)
		select_from(chooser, singles, n, single, INFINITY, ret);
	if (n_early < n) {
		const struct candidate *returned = take(chooser, singles + n_early, n - n_early);

		if (!ret->n || returned->score + needed < ret->candidates[0].score)
			select_from(chooser, singles, n, returned, SECOND_PART, ret);
		else
			select_from(chooser, singles, n, single, RETURNED_PART, ret);
	}
	chooser_destroy(chooser);
}
