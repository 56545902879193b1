/*
 * If the values of a feature where a branch was taken lie apart from the others, the branch tests
 * it; if a single value lies among the others, for equality. Cases of switches count as
 * branches. Source: Rogora, Analyzing System Performance with Probabilistic Performance
 * Annotations, Università della Svizzera italiana (2021), section 4.2.1.
 */
#include "split_candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "feature_pairs.h"
#include "model/data/doubtful_values.h"
#include "model/data/row_order.h"
#include "round_threshold.h"

#define COVERED 0.95

enum { CASES_MAX = 64 };

void split_candidates_deinit(struct split_candidates *conditions)
{
	free(conditions->all);
}

void split_candidates_add(struct split_candidates *conditions, const struct split_candidate *trial)
{
	conditions->all = mem_grow(conditions->all, &conditions->capacity, conditions->n + 1,
				   sizeof(*conditions->all));
	conditions->all[conditions->n++] = *trial;
}

/* Add it unless present or too many; counts it as tried. */
static void propose(struct split_candidates *conditions, const struct split_candidate *trial)
{
	size_t same = 0;
	size_t i;

	for (i = 0; i < conditions->n; i++) {
		const struct split_candidate *other = &conditions->all[i];

		if (other->origin != trial->origin)
			continue;
		same++;
		if (other->split.column == trial->split.column &&
		    other->split.other == trial->split.other &&
		    other->split.kind == trial->split.kind && other->split.at == trial->split.at)
			return;
	}
	conditions->tried[trial->origin]++;
	if (same < CONDITIONS_MAX)
		split_candidates_add(conditions, trial);
}

bool split_candidates_part(const struct rank_regression *ranking,
			   const struct split_candidate *trial, uint8_t *ret)
{
	const struct dataset *data = ranking->data;
	size_t counts[3] = {0};
	size_t i;

	for (i = 0; i < data->n_choice; i++) {
		size_t row = data->choice[i];

		ret[i] = SIDE_NONE;
		if (split_has(&trial->split, row))
			ret[i] = split_holds(&trial->split, row) ? SIDE_FIRST : SIDE_SECOND;
		counts[ret[i]]++;
	}
	return counts[SIDE_FIRST] >= PARTITION_ROWS_MIN &&
	       counts[SIDE_SECOND] >= PARTITION_ROWS_MIN &&
	       (double)counts[SIDE_NONE] <= (1 - COVERED) * (double)data->n_choice;
}

static bool split_is_categorical(const struct column *column)
{
	return column->role == COLUMN_FEATURE &&
	       (column->type == FEATURE_ENUM || column->type == FEATURE_CLASS ||
		column->type == FEATURE_STRING);
}

static bool is_branch(const struct column *column)
{
	return column->role == COLUMN_BRANCH;
}

/* Columns for which @is holds, by name. */
static size_t split_take_columns(const struct dataset *data,
				 bool (*is)(const struct column *column), const struct column **ret)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->samples->n_columns; i++)
		if (is(&data->samples->columns[i]) &&
		    !doubtful_values_of_enum(&data->samples->columns[i], data->samples->n_rows))
			ret[n++] = &data->samples->columns[i];
	qsort(ret, n, sizeof(*ret), dataset_compare_names);
	return n;
}

/*
 * Distinct numbers of @column seen at least @least times in the choice rows, rising, at most
 * CONDITIONS_MAX.
 */
static size_t take_values(const struct dataset *data, const struct column *column, size_t least,
			  double *ret)
{
	double *sorted = mem_alloc(data->n_choice * sizeof(*sorted));
	size_t n = 0, kept = 0;
	size_t i, end;

	for (i = 0; i < data->n_choice; i++)
		if (column->absence[data->choice[i]] == PRESENT)
			sorted[n++] = column->numbers[data->choice[i]];
	row_order_sort_numbers(sorted, n);
	for (i = 0; i < n; i = end) {
		for (end = i; end < n && sorted[end] == sorted[i]; end++)
			;
		if (end - i >= least && kept < CONDITIONS_MAX)
			ret[kept++] = sorted[i];
	}
	free(sorted);
	return kept;
}

/* A branch: rows that took it, that did not, and that did not reach it (SIDE_NONE). */
struct outcome {
	const struct rank_regression *ranking;
	const uint8_t *sides;
};

/* Runs of one side in the order of a predictor. */
struct runs {
	unsigned n;
	double first[3]; /* the smallest value of each */
	double last[3];  /* and the largest */
	bool overlaps;   /* more than three runs, or a value on both sides */
};

/* Two runs: the sides lie apart; three with one value in the middle: equality. */
static struct runs find_runs(const struct outcome *outcome, size_t predictor)
{
	const struct order *order = &outcome->ranking->orders[predictor];
	const double *x = outcome->ranking->data->predictors[predictor].x;
	struct runs runs = {0};
	uint8_t side = SIDE_NONE;
	size_t i;

	for (i = 0; i < order->n; i++) {
		size_t row = order->places[i].row;

		if (outcome->sides[row] == SIDE_NONE)
			continue;
		if (outcome->sides[row] != side) {
			runs.overlaps = runs.n == 3 || (runs.n && runs.last[runs.n - 1] == x[row]);
			if (runs.overlaps)
				break;
			side = outcome->sides[row];
			runs.first[runs.n++] = x[row];
		}
		runs.last[runs.n - 1] = x[row];
	}
	return runs;
}

static void ask_predictor(struct split_candidates *conditions, const struct outcome *outcome,
			  size_t predictor)
{
	const struct column *column = outcome->ranking->data->predictors[predictor].column;
	struct runs runs = find_runs(outcome, predictor);
	struct split_candidate trial = {
		.split = {.column = column,
			  .kind = column->type == FEATURE_BOOL ? SPLIT_TRUE : SPLIT_AT,
			  .from_branch = true},
		.origin = ORIGIN_BRANCH,
		.predictor = (int)predictor};

	if (runs.overlaps || runs.n < 2 || outcome->ranking->data->predictors[predictor].doubtful)
		return;
	if (runs.n == 3 && (column->type != FEATURE_INT || runs.first[1] != runs.last[1]))
		return;
	if (runs.n == 3) {
		trial.split.kind = SPLIT_IS;
		trial.split.at = runs.first[1];
	} else if (trial.split.kind == SPLIT_AT) {
		trial.split.at =
			round_threshold(runs.last[0], runs.first[1], column->type == FEATURE_INT);
	}
	propose(conditions, &trial);
}

/* The value that all rows of @side and no others have. */
static bool split_find_only(const struct outcome *outcome, const struct column *column,
			    uint8_t side, double *ret)
{
	const struct dataset *data = outcome->ranking->data;
	bool found = false;
	size_t i;

	for (i = 0; i < data->n_choice; i++) {
		size_t row = data->choice[i];

		if (outcome->sides[i] != side)
			continue;
		if (column->absence[row] != PRESENT || (found && column->numbers[row] != *ret))
			return false;
		*ret = column->numbers[row];
		found = true;
	}
	for (i = 0; i < data->n_choice && found; i++)
		if (outcome->sides[i] != side && outcome->sides[i] != SIDE_NONE &&
		    column->absence[data->choice[i]] == PRESENT &&
		    column->numbers[data->choice[i]] == *ret)
			return false;
	return found;
}

static void ask_category(struct split_candidates *conditions, const struct outcome *outcome,
			 const struct column *column)
{
	struct split_candidate trial = {
		.split = {.column = column, .kind = SPLIT_IS, .from_branch = true},
		.origin = ORIGIN_BRANCH,
		.predictor = NO_PREDICTOR};

	if (split_find_only(outcome, column, SIDE_FIRST, &trial.split.at) ||
	    split_find_only(outcome, column, SIDE_SECOND, &trial.split.at))
		propose(conditions, &trial);
}

/* Propose columns that explain an outcome with enough rows on either side. */
static void ask_all(struct split_candidates *conditions, const struct outcome *outcome)
{
	const struct dataset *data = outcome->ranking->data;
	const struct column **columns = mem_alloc(data->samples->n_columns * sizeof(*columns));
	size_t n = split_take_columns(data, split_is_categorical, columns);
	size_t counts[3] = {0};
	size_t i;

	for (i = 0; i < data->n_choice; i++)
		counts[outcome->sides[i]]++;
	if (counts[SIDE_FIRST] >= PARTITION_ROWS_MIN && counts[SIDE_SECOND] >= PARTITION_ROWS_MIN) {
		for (i = 0; i < data->n_predictors; i++)
			if (rank_regression_covers(outcome->ranking, i))
				ask_predictor(conditions, outcome, i);
		for (i = 0; i < n; i++)
			ask_category(conditions, outcome, columns[i]);
	}
	free(columns);
}

/* Rows with @value are first; those that did not reach the branch on neither side. */
static void part_by(const struct dataset *data, const struct column *branch, double value,
		    uint8_t *ret)
{
	size_t i;

	for (i = 0; i < data->n_choice; i++) {
		size_t row = data->choice[i];

		ret[i] = SIDE_NONE;
		if (branch->absence[row] == PRESENT)
			ret[i] = branch->numbers[row] == value ? SIDE_FIRST : SIDE_SECOND;
	}
}

/* Each outcome against the rest; of two, one is enough. */
static void ask_branch(struct split_candidates *conditions, const struct rank_regression *ranking,
		       const struct column *branch)
{
	const struct dataset *data = ranking->data;
	double *values = mem_alloc(CONDITIONS_MAX * sizeof(*values));
	uint8_t *sides = mem_alloc(data->n_choice);
	size_t n = take_values(data, branch, 1, values);
	size_t i;

	if (n == 2)
		n = 1;
	for (i = 0; i < n && i < CASES_MAX; i++) {
		part_by(data, branch, values[i], sides);
		ask_all(conditions, &(struct outcome){ranking, sides});
	}
	free(sides);
	free(values);
}

static void ask_branches(struct split_candidates *conditions, const struct rank_regression *ranking)
{
	const struct dataset *data = ranking->data;
	const struct column **columns = mem_alloc(data->samples->n_columns * sizeof(*columns));
	size_t n = split_take_columns(data, is_branch, columns);
	size_t i;

	for (i = 0; i < n; i++)
		ask_branch(conditions, ranking, columns[i]);
	free(columns);
}

static void propose_values(struct split_candidates *conditions,
			   const struct rank_regression *ranking)
{
	const struct dataset *data = ranking->data;
	const struct column **columns = mem_alloc(data->samples->n_columns * sizeof(*columns));
	double *values = mem_alloc(CONDITIONS_MAX * sizeof(*values));
	size_t n = split_take_columns(data, split_is_categorical, columns);
	size_t i, j;

	for (i = 0; i < n; i++) {
		size_t n_values = take_values(data, columns[i], PARTITION_ROWS_MIN, values);

		for (j = 0; j < n_values; j++)
			propose(conditions,
				&(struct split_candidate){.split = {.column = columns[i],
								    .kind = SPLIT_IS,
								    .at = values[j]},
							  .origin = ORIGIN_VALUE,
							  .predictor = NO_PREDICTOR});
	}
	free(values);
	free(columns);
}

static void propose_booleans(struct split_candidates *conditions,
			     const struct rank_regression *ranking)
{
	const struct dataset *data = ranking->data;
	size_t i;

	for (i = 0; i < data->n_predictors; i++)
		if (data->predictors[i].column->type == FEATURE_BOOL &&
		    rank_regression_covers(ranking, i))
			propose(conditions, &(struct split_candidate){
						    .split = {.column = data->predictors[i].column,
							      .kind = SPLIT_TRUE},
						    .origin = ORIGIN_VALUE,
						    .predictor = (int)i});
}

/* How many rows are below, equal and above. */
static void count_pair(const struct dataset *data, const struct split *split, size_t ret[3])
{
	size_t i;

	ret[0] = ret[1] = ret[2] = 0;
	for (i = 0; i < data->n_choice; i++) {
		const size_t row = data->choice[i];
		const double x = split->at * split->column->numbers[row];
		const double y = split->other->numbers[row];

		if (split_has(split, row))
			ret[(x >= y) + (x > y)]++;
	}
}

/* Those with enough rows on each side. Where no values are equal, < and <= are the same. */
static void propose_pair(struct split_candidates *conditions, const struct dataset *data,
			 const struct feature_pair *pair)
{
	struct split_candidate trial = {.split = {.column = data->predictors[pair->left].column,
						  .other = data->predictors[pair->right].column,
						  .kind = SPLIT_UP_TO,
						  .at = pair->times},
					.origin = ORIGIN_PAIR,
					.predictor = (int)pair->left};
	size_t n[3];

	count_pair(data, &trial.split, n);
	if (n[0] + n[1] >= PARTITION_ROWS_MIN && n[2] >= PARTITION_ROWS_MIN)
		propose(conditions, &trial);
	trial.split.kind = SPLIT_BELOW;
	if (n[1] && n[0] >= PARTITION_ROWS_MIN && n[1] + n[2] >= PARTITION_ROWS_MIN)
		propose(conditions, &trial);
	trial.split.kind = SPLIT_SAME;
	if (n[1] >= PARTITION_ROWS_MIN && n[0] + n[2] >= PARTITION_ROWS_MIN)
		propose(conditions, &trial);
}

static void propose_pairs(struct split_candidates *conditions,
			  const struct rank_regression *ranking)
{
	struct feature_pair pairs[FEATURE_PAIRS_MAX];
	const size_t n = feature_pairs_find(ranking, pairs);
	size_t i;

	for (i = 0; i < n; i++)
		propose_pair(conditions, ranking->data, &pairs[i]);
}

void split_candidates_find(struct split_candidates *conditions,
			   const struct rank_regression *ranking)
{
	ask_branches(conditions, ranking);
	propose_values(conditions, ranking);
	propose_booleans(conditions, ranking);
	propose_pairs(conditions, ranking);
}
