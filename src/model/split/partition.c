/*
 * Ranks conditions by the squares that curves of both sides leave, each origin by itself, less what
 * chance gives the best of as many. The tree judges the best by real models.
 */
#include "partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/samples/run_places.h"
#include "model/regression/candidate.h"
#include "passing_change.h"
#include "permutation_null.h"
#include "split_candidates.h"
#include "round_threshold.h"
#include "model/regression/score.h"
#include "changepoint.h"

enum {
	FINALISTS = 6,  /* of each origin */
	LOOKED_AT = 12, /* of each origin, the most promising */
};

/* Beyond the correction for multiple tests: curves are approximate. */
#define GAIN_LEAST 12.0
/* Gains closer than this per row are about equal. */
#define EQUAL_PART 0.05
/* Share that a condition on a system, returned or drifting feature may leave. */
#define BURDEN 0.5
/* The curve of all rows may be wrong: minimum spread, as a part of the usual cost. */
#define UNSURE 0.2
/* Residuals count up to here, in distances of the 10 % and 90 % quantiles from the median. */
#define CLIP 2.5
/* Bound for an exact description. */
#define LEFT_LEAST 1e-12

struct search {
	const struct dataset *data;
	struct arena *arena;
	struct rank_regression *ranking;
	struct changepoint_target target;
	struct changepoint_search *segmenter;
	struct permutation_null chance;
	struct split_candidates conditions;
	uint8_t *sides;
};

/* Is the feature an unlikely cause, which needs more evidence? */
static bool is_burdened(const struct dataset *data, const struct split_candidate *trial)
{
	const struct predictor *predictor;

	if (trial->predictor == NO_PREDICTOR)
		return trial->split.column->provenance == FROM_SYSTEM ||
		       trial->split.column->provenance == FROM_RETURN;
	if (trial->split.other && trial->split.other->provenance == FROM_SYSTEM)
		return true;
	predictor = &data->predictors[trial->predictor];
	return predictor->of_system || predictor->returned || predictor->follows;
}

/* Does the system alone tell what search->sides part, which the program need not have changed? */
static bool is_passing(const struct search *search, const struct split_candidate *trial)
{
	const struct column *column =
		trial->split.other && trial->split.other->provenance == FROM_SYSTEM
			? trial->split.other
			: trial->split.column;

	return column->provenance == FROM_SYSTEM &&
	       strcmp(column->name, feature_system_info(SYSTEM_THREADS)->expression) != 0 &&
	       passing_change_is(search->data, search->sides);
}

/* The best model of one predictor; false: none is better than a constant. */
static bool describe_whole(const struct search *search, struct chooser *chooser)
{
	struct candidate best = {.score = 0}, one;
	size_t strongest[CHANGEPOINT_CURVES];
	const size_t n = rank_regression_strongest(search->ranking, CHANGEPOINT_CURVES, strongest);
	size_t i;

	for (i = 0; i < n; i++)
		if (candidate_evaluate(chooser, &strongest[i], 1, false, &one) &&
		    one.score < best.score)
			best = one;
	return best.score < 0 && candidate_revisit(chooser, &best);
}

/* The metric over its spread by that model; outliers are clipped. Rows without it: the median. */
static void make_target(struct search *search)
{
	const struct dataset *data = search->data;
	const size_t n = data->n_choice;
	const double median = data->y[n / 2];
	struct chooser *chooser = candidate_chooser_create(data);
	double *y = arena_array(search->arena, double, n);
	double *inverse = arena_array(search->arena, double, n);
	double *residual = arena_array(search->arena, double, n);
	size_t i;

	for (i = 0; i < n; i++) {
		inverse[i] = 1;
		y[i] = median;
	}
	if (describe_whole(search, chooser))
		for (i = 0; i < chooser->n; i++) {
			y[chooser->rows[i]] = chooser->robust->fitted[i];
			inverse[chooser->rows[i]] = chooser->robust->spread[i];
		}
	for (i = 0; i < n; i++) {
		const double value = y[i];

		inverse[i] = 1 / hypot(inverse[i], UNSURE * fabs(median));
		y[i] = value * inverse[i];
		residual[i] = (data->y[i] - value) * inverse[i];
	}
	candidate_clip(residual, n, CLIP, residual);
	for (i = 0; i < n; i++)
		y[i] += residual[i];
	search->target =
		(struct changepoint_target){.y = y, .inverse = inverse, .residual = residual};
	candidate_chooser_destroy(chooser);
}

static void split_search_init(struct search *search, const struct dataset *data)
{
	memset(search, 0, sizeof(*search));
	search->data = data;
	search->arena = arena_create();
	search->ranking = rank_regression_create(search->arena, data);
	search->sides = arena_array(search->arena, uint8_t, data->n_choice);
	make_target(search);
	search->segmenter = changepoint_create(search->arena, search->ranking, &search->target);
	permutation_null_init(&search->chance, search->segmenter, data, PARTITION_ROWS_MIN);
}

static void split_search_deinit(struct search *search)
{
	split_candidates_deinit(&search->conditions);
	arena_destroy(search->arena);
}

/* A hash of the partition, whichever side is first. */
static uint64_t hash_sides(const uint8_t *sides, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325;
	uint8_t first = SIDE_NONE;
	size_t i;

	for (i = 0; i < n; i++) {
		if (first == SIDE_NONE)
			first = sides[i];
		hash ^= sides[i] == SIDE_NONE ? 2 : sides[i] == first;
		hash *= 0x100000001b3;
	}
	return hash;
}

static void set_place(const struct search *search, struct split_candidate *trial, size_t first)
{
	const struct predictor *predictor = &search->data->predictors[trial->predictor];
	const struct place *places = search->ranking->orders[trial->predictor].places;

	trial->split.at = round_threshold(predictor->x[places[first - 1].row],
					  predictor->x[places[first].row],
					  predictor->column->type == FEATURE_INT);
}

/* Judge the named conditions; drop those that do not part the rows. */
static void judge_named(struct search *search)
{
	struct split_candidates *conditions = &search->conditions;
	size_t kept = 0;
	size_t i;

	split_candidates_find(conditions, search->ranking);
	for (i = 0; i < conditions->n; i++) {
		struct split_candidate trial = conditions->all[i];

		if (!split_candidates_part(search->ranking, &trial, search->sides))
			continue;
		trial.left = changepoint_judge(search->segmenter, search->sides);
		conditions->all[kept++] = trial;
	}
	conditions->n = kept;
}

static void find_thresholds(struct search *search)
{
	const struct dataset *data = search->data;
	size_t i;

	for (i = 0; i < data->n_predictors; i++) {
		struct split_candidate trial = {
			.split = {.column = data->predictors[i].column, .kind = SPLIT_AT},
			.origin = ORIGIN_THRESHOLD,
			.predictor = (int)i};
		struct changepoint segment;

		if (data->predictors[i].column->type == FEATURE_BOOL ||
		    data->predictors[i].doubtful || !rank_regression_covers(search->ranking, i))
			continue;
		search->conditions.tried[ORIGIN_THRESHOLD]++;
		if (!changepoint_find(search->segmenter, i, PARTITION_ROWS_MIN, &segment))
			continue;
		trial.left = segment.left;
		set_place(search, &trial, segment.first);
		split_candidates_add(&search->conditions, &trial);
	}
}

/* What chance gives the best condition of an origin; a threshold also has a place. */
static double gain_of_chance(const struct search *search, enum origin origin)
{
	double rows = score_rows(search->data->n_choice);
	double chance = GAIN_LEAST + 2 * log((double)search->conditions.tried[origin] + 1);

	return origin == ORIGIN_THRESHOLD ? chance + score_penalty(2, rows) : chance;
}

/* The rank of a condition within its origin: less is better. */
static double promise(const struct search *search, const struct split_candidate *trial)
{
	return is_burdened(search->data, trial) ? trial->left / BURDEN : trial->left;
}

/* Does @a come before @b? Pinned features come first. */
static bool is_sooner(const struct search *search, const struct split_candidate *a,
		      const struct split_candidate *b)
{
	const bool left = dataset_is_pinned(search->data, a->split.column);
	const bool right = dataset_is_pinned(search->data, b->split.column);

	return left != right ? left : promise(search, a) < promise(search, b);
}

static bool is_promising(struct search *search, const struct split_candidate *trial)
{
	return permutation_null_is_beaten(&search->chance, promise(search, trial),
					  search->conditions.tried[trial->origin]);
}

/* False: chance explains it, or what passes, or that runs differ. */
static bool split_judge(struct search *search, struct split_candidate *trial)
{
	if (!is_promising(search, trial))
		return false;
	split_candidates_part(search->ranking, trial, search->sides);
	trial->split.gain = -score_rows(search->data->n_choice) *
				    log(fmax(promise(search, trial), LEFT_LEAST)) -
			    gain_of_chance(search, trial->origin);
	trial->parts = hash_sides(search->sides, search->data->n_choice);
	return !is_passing(search, trial) &&
	       !run_places_doubt(search->data->samples, search->data->metric, trial->split.column);
}

/* Judge the most promising conditions of an origin, into @ret. */
static size_t judge_finalists(struct search *search, enum origin origin,
			      struct split_candidate *ret)
{
	struct split_candidates *conditions = &search->conditions;
	unsigned looked;
	size_t n = 0;

	for (looked = 0; looked < LOOKED_AT && n < FINALISTS; looked++) {
		size_t best = conditions->n;
		size_t i;

		for (i = 0; i < conditions->n; i++)
			if (conditions->all[i].origin == origin &&
			    isfinite(conditions->all[i].left) &&
			    (best == conditions->n ||
			     is_sooner(search, &conditions->all[i], &conditions->all[best])))
				best = i;
		if (best == conditions->n)
			break;
		ret[n] = conditions->all[best];
		conditions->all[best].left = INFINITY;
		n += split_judge(search, &ret[n]);
	}
	return n;
}

static int compare_preference(const struct split_candidate *a, const struct split_candidate *b)
{
	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	if (a->predictor != b->predictor)
		return (unsigned)a->predictor < (unsigned)b->predictor ? -1 : 1;
	if (a->split.other && a->split.other == b->split.other &&
	    a->split.column == b->split.column)
		return (a->split.gain < b->split.gain) - (a->split.gain > b->split.gain);
	if (a->split.other != b->split.other)
		return strcmp(a->split.other->name, b->split.other->name);
	if (a->split.column != b->split.column)
		return strcmp(a->split.column->name, b->split.column->name);
	return (a->split.at > b->split.at) - (a->split.at < b->split.at);
}

/* Of those about as good as the best, the one to name, pinned ones first; NULL: none is good. */
static struct split_candidate *take_best(const struct dataset *data, struct split_candidate *trials,
					 size_t n, double equal)
{
	bool pinned = false;
	struct split_candidate *best = NULL;
	double most = 0;
	size_t i;

	for (i = 0; i < n; i++)
		pinned |=
			trials[i].split.gain > 0 && dataset_is_pinned(data, trials[i].split.column);
	for (i = 0; i < n; i++)
		if (!pinned || dataset_is_pinned(data, trials[i].split.column))
			most = fmax(most, trials[i].split.gain);
	for (i = 0; i < n; i++)
		if (trials[i].split.gain > 0 && trials[i].split.gain >= most - equal &&
		    (!pinned || dataset_is_pinned(data, trials[i].split.column)) &&
		    (!best || compare_preference(&trials[i], best) < 0))
			best = &trials[i];
	return best;
}

static void drop_alike(struct split_candidate *trials, size_t n, uint64_t parts)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (trials[i].parts == parts)
			trials[i].split.gain = -INFINITY;
}

size_t partition_find(const struct dataset *data, struct split *ret, size_t max)
{
	struct split_candidate trials[ORIGIN_COUNT * FINALISTS];
	struct split_candidate *best;
	struct search search;
	size_t n = 0, found = 0;
	unsigned origin;

	if (data->n_choice < 2 * PARTITION_ROWS_MIN || !(data->y_max > 0))
		return 0;
	split_search_init(&search, data);
	judge_named(&search);
	find_thresholds(&search);
	for (origin = 0; origin < ORIGIN_COUNT; origin++)
		n += judge_finalists(&search, origin, trials + n);
	while (found < max &&
	       (best = take_best(data, trials, n, EQUAL_PART * score_rows(data->n_choice)))) {
		ret[found++] = best->split;
		drop_alike(trials, n, best->parts);
	}
	split_search_deinit(&search);
	return found;
}
