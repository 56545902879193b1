/*
 * Ranks conditions by sums of squares, which is fast; then judges the best of each origin by robust
 * curves of both sides, less what chance gives the best of as many.
 */
#include "partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/regression/candidate.h"
#include "passing_change.h"
#include "permutation_null.h"
#include "split_candidates.h"
#include "curve_fit.h"
#include "round_threshold.h"
#include "model/regression/score.h"
#include "changepoint.h"

enum {
	FINALISTS = 6, /* of each origin */
	/* Up to as many conditions of an origin are judged even if not promising. */
	NAMED_FEW = 64,
};

/* Beyond the correction for multiple tests: the likelihood is approximate. */
#define GAIN_LEAST 12.0
/*
 * Minimum gain per row of a split that the permutation test does not support; thresholds need more,
 * since neighbours may share a mode by chance.
 */
#define UNPROMISING_PART           0.4
#define UNPROMISING_PART_THRESHOLD 1.5
/* Bound of the spread of all calls over that of one kind. */
#define APART_MOST 10.0
#define CONTINUOUS 0.5
/* Gains closer than this per row are about equal. */
#define EQUAL_PART 0.05
/* Share that a condition on a system, returned or drifting feature may leave. */
#define BURDEN 0.5

/* The curve of all rows may be wrong: minimum spread, over the usual cost. */
#define UNSURE 0.2

enum { MEMOS = 4 };

/* Curves that were found for the same sides before. */
struct memo {
	uint8_t *sides; /* [n_choice] */
	bool is_known[2][SPREAD_COUNT];
	struct curve curves[2][SPREAD_COUNT]; /* of the first and the second side */
};

struct search {
	const struct dataset *data;
	struct arena *arena;
	struct rank_regression *ranking;
	struct curve_fitter *fitter;
	struct memo memos[MEMOS]; /* the first is of all rows on one side */
	unsigned n_memos;
	struct curve whole[SPREAD_COUNT];
	double deviance[SPREAD_COUNT]; /* of all rows */
	enum spread spread;            /* the better one */
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

/* The memo of @sides; the oldest but the first gives its place to a new one. */
static struct memo *memo_of(struct search *search, const uint8_t *sides)
{
	const size_t n = search->data->n_choice;
	struct memo *memo;
	unsigned i;

	for (i = 0; i < MEMOS && i < search->n_memos; i++)
		if (!memcmp(search->memos[i].sides, sides, n))
			return &search->memos[i];
	i = search->n_memos++;
	memo = &search->memos[i ? 1 + (i - 1) % (MEMOS - 1) : 0];
	if (!memo->sides)
		memo->sides = arena_array(search->arena, uint8_t, n);
	memcpy(memo->sides, sides, n);
	memset(memo->is_known, 0, sizeof(memo->is_known));
	return memo;
}

static struct curve partition_curve(struct search *search, const uint8_t *sides, enum side which,
				    enum spread spread)
{
	struct memo *memo = memo_of(search, sides);
	const unsigned side = which == SIDE_SECOND;

	if (!memo->is_known[side][spread])
		memo->curves[side][spread] = curve_find(search->fitter, sides, which, spread);
	memo->is_known[side][spread] = true;
	return memo->curves[side][spread];
}

static void describe_whole(struct search *search)
{
	struct curve curves[2] = {{0}};
	unsigned spread;

	memset(search->sides, SIDE_FIRST, search->data->n_choice);
	for (spread = 0; spread < SPREAD_COUNT; spread++) {
		search->whole[spread] = partition_curve(search, search->sides, SIDE_FIRST, spread);
		curves[0] = search->whole[spread];
		search->deviance[spread] =
			curve_deviance(search->fitter, search->sides, curves, spread);
		if (search->deviance[spread] < search->deviance[search->spread])
			search->spread = spread;
	}
}

/* The metric over its spread by the best curve of all rows; outliers are clipped. */
static void make_target(struct search *search)
{
	const struct curve *whole = &search->whole[search->spread];
	size_t n = search->data->n_choice;
	double *y = arena_array(search->arena, double, n);
	double *inverse = arena_array(search->arena, double, n);
	double *residual = arena_array(search->arena, double, n);
	size_t i;

	for (i = 0; i < n; i++) {
		double value = curve_value(whole, i);

		inverse[i] = 1 / hypot(curve_spread(search->fitter, search->spread, value),
				       UNSURE * curve_spread(search->fitter, SPREAD_EVEN, value));
		y[i] = (search->data->y[i] - value) * inverse[i];
	}
	candidate_clip(y, n, residual);
	for (i = 0; i < n; i++)
		y[i] = residual[i] + curve_value(whole, i) * inverse[i];
	search->target = (struct changepoint_target){
		.y = y, .inverse = inverse, .residual = residual, .whole = whole->predictor};
}

static void split_search_init(struct search *search, const struct dataset *data)
{
	memset(search, 0, sizeof(*search));
	search->data = data;
	search->arena = arena_create();
	search->ranking = rank_regression_create(search->arena, data);
	search->fitter = curve_fitter_create(search->arena, search->ranking);
	search->sides = arena_array(search->arena, uint8_t, data->n_choice);
	describe_whole(search);
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
	struct clusters clusters;
	size_t kept = 0;
	size_t i;

	split_candidates_find(conditions, search->ranking);
	density_clusters_find(search->data->y, search->data->n_choice, &clusters);
	split_candidates_clusters(conditions, search->ranking, &clusters);
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

/* Both sides as one; the caller frees it. */
static uint8_t *join_sides(const struct search *search)
{
	size_t n = search->data->n_choice;
	uint8_t *sides = mem_alloc(n);
	size_t i;

	for (i = 0; i < n; i++)
		sides[i] = search->sides[i] == SIDE_NONE ? SIDE_NONE : SIDE_FIRST;
	return sides;
}

/* The deviance, undivided, of the rows that the condition knows. */
static double deviance_undivided(struct search *search)
{
	struct curve curves[2] = {{0}};
	double best = INFINITY;
	uint8_t *sides = join_sides(search);
	unsigned spread;

	for (spread = 0; spread < SPREAD_COUNT; spread++) {
		curves[0] = search->whole[spread];
		best = fmin(best, curve_deviance(search->fitter, sides, curves, spread));
	}
	free(sides);
	return best;
}

struct description {
	struct curve curves[2];
	enum spread spread;
	double deviance;
};

static struct description describe_sides(struct search *search)
{
	struct description best = {.deviance = INFINITY};
	unsigned spread;

	for (spread = 0; spread < SPREAD_COUNT; spread++) {
		struct description one = {.spread = spread};

		one.curves[0] = partition_curve(search, search->sides, SIDE_FIRST, spread);
		one.curves[1] = partition_curve(search, search->sides, SIDE_SECOND, spread);
		one.deviance = curve_deviance(search->fitter, search->sides, one.curves, spread);
		if (one.deviance < best.deviance)
			best = one;
	}
	return best;
}

/* What chance gives the best condition of an origin; a threshold also has a place. */
static double gain_of_chance(const struct search *search, enum origin origin)
{
	double rows = curve_rows(search->fitter);
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

enum { WIDTHS = 3 };

static const struct curve_parts width_parts = {WIDTHS, {0.5, 0.7, 0.9}};

/* Widths around the best curve of a side, per width_parts. */
static void find_widths(struct search *search, const uint8_t *sides, enum side which, double *ret)
{
	double widths[WIDTHS];
	unsigned spread, i;

	for (i = 0; i < WIDTHS; i++)
		ret[i] = INFINITY;
	for (spread = 0; spread < SPREAD_COUNT; spread++) {
		const struct curve curve = partition_curve(search, sides, which, spread);

		curve_widths(search->fitter, sides, which, &curve, spread, &width_parts, widths);
		for (i = 0; i < WIDTHS; i++)
			ret[i] = fmin(ret[i], widths[i]);
	}
}

static size_t count_side(const struct search *search, enum side which)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < search->data->n_choice; i++)
		n += search->sides[i] == which;
	return n;
}

/* Are costs continuous, not few repeated values? Rows are in metric order. */
static bool is_continuous(const struct dataset *data)
{
	size_t distinct = 1;
	size_t i;

	for (i = 1; i < data->n_choice; i++)
		distinct += data->y[i] != data->y[i - 1];
	return distinct >= CONTINUOUS * data->n_choice;
}

/*
 * The gain if one kind of calls varies far less than all; at all quantiles, so that neither
 * outliers nor a mode more or less suffice.
 */
static double gain_apart(struct search *search)
{
	const double first = count_side(search, SIDE_FIRST);
	const double second = count_side(search, SIDE_SECOND);
	const double rows = curve_rows(search->fitter) / (first + second);
	double one[WIDTHS], other[WIDTHS], whole[WIDTHS];
	double least = INFINITY;
	uint8_t *both;
	size_t i;

	if (!is_continuous(search->data))
		return 0;
	both = join_sides(search);
	find_widths(search, search->sides, SIDE_FIRST, one);
	find_widths(search, search->sides, SIDE_SECOND, other);
	find_widths(search, both, SIDE_FIRST, whole);
	free(both);
	for (i = 0; i < WIDTHS; i++) {
		const double floor = whole[i] / APART_MOST;

		if (!(whole[i] > 0))
			return 0;
		least = fmin(least, first * log(whole[i] / fmax(one[i], floor)) +
					    second * log(whole[i] / fmax(other[i], floor)));
	}
	return 2 * rows * least - score_penalty(3, curve_rows(search->fitter));
}

static double unpromising_part(enum origin origin)
{
	return origin >= ORIGIN_THRESHOLD ? UNPROMISING_PART_THRESHOLD : UNPROMISING_PART;
}

static void split_judge(struct search *search, struct split_candidate *trial)
{
	struct description sides;
	double undivided;

	trial->split.gain = -INFINITY;
	if (!split_candidates_part(search->ranking, trial, search->sides))
		return;
	undivided = deviance_undivided(search);
	sides = describe_sides(search);
	trial->split.gain = undivided - sides.deviance - gain_of_chance(search, trial->origin);
	if (!is_promising(search, trial))
		trial->split.gain = gain_apart(search) - gain_of_chance(search, trial->origin) -
				    unpromising_part(trial->origin) * curve_rows(search->fitter);
	if (is_burdened(search->data, trial))
		trial->split.gain += curve_rows(search->fitter) * log(BURDEN);
	split_candidates_part(search->ranking, trial, search->sides);
	if (is_passing(search, trial))
		trial->split.gain = -INFINITY;
	trial->parts = hash_sides(search->sides, search->data->n_choice);
}

/*
 * Sums of squares miss small kinds of calls among widely spread costs: judge all conditions of an
 * origin with few.
 */
static bool is_candidate(struct search *search, const struct split_candidate *trial)
{
	return is_promising(search, trial) || search->conditions.tried[trial->origin] <= NAMED_FEW;
}

/* Judge the most promising conditions of an origin, into @ret. */
static size_t judge_finalists(struct search *search, enum origin origin,
			      struct split_candidate *ret)
{
	struct split_candidates *conditions = &search->conditions;
	size_t n = 0;

	while (n < FINALISTS) {
		size_t best = conditions->n;
		size_t i;

		for (i = 0; i < conditions->n; i++)
			if (conditions->all[i].origin == origin &&
			    isfinite(conditions->all[i].left) &&
			    is_candidate(search, &conditions->all[i]) &&
			    (best == conditions->n ||
			     is_sooner(search, &conditions->all[i], &conditions->all[best])))
				best = i;
		if (best == conditions->n)
			break;
		ret[n] = conditions->all[best];
		conditions->all[best].left = INFINITY;
		split_judge(search, &ret[n++]);
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
	       (best = take_best(data, trials, n, EQUAL_PART * curve_rows(search.fitter)))) {
		ret[found++] = best->split;
		drop_alike(trials, n, best->parts);
	}
	split_search_deinit(&search);
	return found;
}
