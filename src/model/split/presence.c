/*
 * Features that are absent in the same rows are one condition. Ranks tell which of them may explain
 * the costs of the other rows; the tree judges by models.
 */
#include "presence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/data/moments.h"
#include "model/data/row_order.h"

#define RARE_PART 0.01
/* Twice the log of the odds that ranks explain as much by chance. */
#define STRENGTH_LEAST 12.0

/* The features that are present in one set of rows. */
struct presence {
	uint64_t rows; /* hash of the set */
	const struct column *column;
	double strength; /* of the strongest feature: its gain in -2 log likelihood of ranks */
};

struct presences {
	const struct dataset *data;
	struct presence *all;
	size_t n, capacity;
	struct row_key *keys, *scratch; /* [n_choice] */
};

bool presence_is_rare(size_t absent, size_t rows)
{
	return absent < PARTITION_ROWS_MIN || absent < RARE_PART * rows;
}

/* Has @column one number, which @ret is, in exactly the rows where @feature is present? */
static bool tells_presence(const struct dataset *data, const struct column *column,
			   const struct column *feature, double *ret)
{
	bool found = false;
	size_t i;

	for (i = 0; i < data->n_rows && !found; i++) {
		found = feature->absence[data->order[i]] == PRESENT;
		*ret = column->numbers[data->order[i]];
	}
	for (i = 0; i < data->n_rows && found; i++) {
		const size_t row = data->order[i];
		const bool is_there = feature->absence[row] == PRESENT;

		if (column->absence[row] != PRESENT)
			found = feature->absence[row] == ABSENT_NOT_MEASURED;
		else
			found = (column->numbers[row] == *ret) == is_there;
	}
	return found;
}

/* A condition on a boolean or a class that tells whether @column is there; else as it was. */
static void presence_find_teller(const struct dataset *data, const struct column *column,
				 struct split *split)
{
	const struct samples *samples = data->samples;
	double number;
	size_t i;

	for (i = 0; i < data->n_predictors; i++) {
		const struct column *other = data->predictors[i].column;

		if (other->type != FEATURE_BOOL || !tells_presence(data, other, column, &number) ||
		    number == 0)
			continue;
		split->column = other;
		split->kind = SPLIT_TRUE;
		return;
	}
	for (i = 0; i < samples->n_columns; i++) {
		const struct column *other = &samples->columns[i];

		if (other->role != COLUMN_FEATURE || other->type != FEATURE_CLASS ||
		    !tells_presence(data, other, column, &number) ||
		    (split->kind == SPLIT_IS && strcmp(other->name, split->column->name) > 0))
			continue;
		split->column = other;
		split->kind = SPLIT_IS;
		split->at = number;
	}
}

/* How many rows are on each side, the first at 1. */
static void count_sides(const struct dataset *data, const struct split *split, size_t *ret)
{
	bool first;
	size_t i;

	ret[0] = ret[1] = 0;
	for (i = 0; i < data->n_rows; i++)
		if (split_decides(split, data->order[i], &first))
			ret[first]++;
}

bool presence_split(const struct dataset *data, const struct column *column, struct split *ret)
{
	struct split split = {.column = column, .kind = SPLIT_DEFINED, .gain = INFINITY};
	size_t counts[2];

	count_sides(data, &split, counts);
	if (presence_is_rare(counts[0], data->n_rows) || counts[1] < PARTITION_ROWS_MIN)
		return false;
	presence_find_teller(data, column, &split);
	*ret = split;
	return true;
}

/* The choice rows that have @column (*@ret_hash, FNV-1a); false: too few have it, or lack it. */
static bool presence_rows(const struct dataset *data, const struct column *column,
			  uint64_t *ret_hash)
{
	uint64_t hash = 0xcbf29ce484222325;
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_choice; i++) {
		const bool present = column->absence[data->choice[i]] == PRESENT;

		n += present;
		hash = (hash ^ present) * 0x100000001b3;
	}
	*ret_hash = hash;
	return n >= PARTITION_ROWS_MIN && !presence_is_rare(data->n_choice - n, data->n_choice);
}

/* Rows with @column in its order, with their ranks by the metric; returns their number. */
static size_t presence_order(const struct presences *presences, const struct column *column)
{
	const struct dataset *data = presences->data;
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_choice; i++)
		if (column->absence[data->choice[i]] == PRESENT &&
		    isfinite(column->numbers[data->choice[i]]))
			presences->keys[n++] =
				(struct row_key){column->numbers[data->choice[i]], (uint32_t)i};
	row_order_sort(presences->keys, n, presences->scratch);
	return n;
}

/*
 * The gain of describing ranks of the metric by @column: by its ranks, or by the means of its
 * values if it has no order. Rows are in the metric's order, so their numbers rank them.
 */
static double presence_strength(const struct presences *presences, const struct column *column)
{
	const struct row_key *keys = presences->keys;
	const size_t n = presence_order(presences, column);
	struct moments line = {0}, means = {0};
	size_t first, end, i;
	double values = 0;
	double r;

	for (first = 0; first < n; first = end) {
		double sum = 0;

		for (end = first; end < n && keys[end].x == keys[first].x; end++)
			sum += keys[end].row;
		for (i = first; i < end; i++) {
			moments_add(&line, 1, (first + end) / 2.0, keys[i].row);
			moments_add(&means, 1, sum / (end - first), keys[i].row);
		}
		values++;
	}
	if (n < PARTITION_ROWS_MIN || values < 2)
		return 0;
	if (dataset_column_is_ordered(column))
		values = 2;
	r = moments_correlation(dataset_column_is_ordered(column) ? &line : &means);
	return -(double)n * log(fmax(1 - r * r, 1e-12)) - (values - 1) * log(n);
}

static void add_presence(struct presences *presences, const struct column *column)
{
	struct presence one = {.column = column};
	size_t i;

	if (!presence_rows(presences->data, column, &one.rows))
		return;
	one.strength = presence_strength(presences, column);
	for (i = 0; i < presences->n && presences->all[i].rows != one.rows; i++)
		;
	if (i == presences->n) {
		presences->all = mem_grow(presences->all, &presences->capacity, ++presences->n,
					  sizeof(*presences->all));
		presences->all[i] = one;
	} else if (one.strength > presences->all[i].strength) {
		presences->all[i] = one;
	}
}

static int compare_strengths(const void *a, const void *b)
{
	const struct presence *left = a;
	const struct presence *right = b;

	if (left->strength != right->strength)
		return left->strength > right->strength ? -1 : 1;
	return strcmp(left->column->name, right->column->name);
}

/* Those of the system are present in all calls or in none. */
static void add_presences(struct presences *presences)
{
	const struct dataset *data = presences->data;
	const struct samples *samples = data->samples;
	size_t i;

	for (i = 0; i < samples->n_columns; i++)
		if (samples->columns[i].role == COLUMN_FEATURE &&
		    samples->columns[i].provenance != FROM_SYSTEM &&
		    !samples->columns[i].is_derived)
			add_presence(presences, &samples->columns[i]);
	if (presences->n)
		qsort(presences->all, presences->n, sizeof(*presences->all), compare_strengths);
}

size_t presence_find(const struct dataset *data, struct split *ret, size_t max, size_t *ret_tried)
{
	struct presences presences = {.data = data};
	double least;
	size_t n = 0;
	size_t i;

	presences.keys = mem_alloc((2 * data->n_choice + 1) * sizeof(*presences.keys));
	presences.scratch = presences.keys + data->n_choice;
	add_presences(&presences);
	least = STRENGTH_LEAST + 2 * log((double)data->samples->n_columns);
	for (i = 0; i < presences.n && n < max && presences.all[i].strength > least; i++)
		n += presence_split(data, presences.all[i].column, &ret[n]);
	*ret_tried = presences.n;
	free(presences.keys);
	free(presences.all);
	return n;
}
