/* A few rows rule most pairs out; the others are compared in all. */
#include "ordered_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	ROWS_LEAST = 30,
	LOOKED_AT = 16,
	/*
	 * Rows in which the low number is above the high one of a row far away. If the order were
	 * chance, of so many expected none would be left once in e^12, 160,000 pairs.
	 */
	CROSSED_LEAST = 12,
	COLUMNS_MAX = 1000,
	FOUND_MAX = 1024,
};

/* Rows that are compared, of all pairs together: some 50 ms. */
static const size_t WORK_MAX = 20000000;

static bool may_be_an_end(const struct column *column)
{
	return column->role == COLUMN_FEATURE && column->type == FEATURE_INT &&
	       !column->is_derived && column->provenance != FROM_SYSTEM &&
	       column->provenance != FROM_RETURN && !strstr(column->name, " - ");
}

/* Values of some rows, next to each other; NAN: absent. */
static void look(const struct samples *samples, const struct column *column, double *ret)
{
	for (size_t i = 0; i < LOOKED_AT; i++) {
		const size_t row = i * samples->n_rows / LOOKED_AT;

		ret[i] = column->absence[row] == PRESENT ? column->numbers[row] : __builtin_nan("");
	}
}

/* In no row is the low one above the high one; in some it is above that of another row. */
static bool seems_ordered(const double *low, const double *high)
{
	bool above = false, crossed = false;

	for (size_t i = 0; i < LOOKED_AT && !above; i++) {
		above = low[i] > high[i];
		for (size_t j = 0; j < LOOKED_AT && !crossed; j++)
			crossed = low[i] > high[j];
	}
	return crossed && !above;
}

static bool is_ordered(const struct samples *samples, const struct column *low,
		       const struct column *high)
{
	const size_t n = samples->n_rows;
	size_t both = 0, crossed = 0;
	bool varies = false;
	double first = 0;

	for (size_t i = 0; i < n; i++) {
		const size_t away = (i + n / 2) % n;

		if (low->absence[i] != PRESENT)
			continue;
		crossed += high->absence[away] == PRESENT && low->numbers[i] > high->numbers[away];
		if (high->absence[i] != PRESENT)
			continue;
		if (low->numbers[i] > high->numbers[i])
			return false;
		first = both++ ? first : high->numbers[i] - low->numbers[i];
		varies |= high->numbers[i] - low->numbers[i] != first;
	}
	return varies && both >= ROWS_LEAST && crossed >= CROSSED_LEAST;
}

static int compare_numbers(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct column *a, const struct column *b)
{
	const int order = compare_numbers(strlen(a->name), strlen(b->name));

	return order ? order : strcmp(a->name, b->name);
}

static int compare_pairs(const void *a, const void *b, void *context)
{
	const struct column *columns = context;
	const struct ordered_pair *left = a, *right = b;
	const struct column *lows[] = {&columns[left->low], &columns[right->low]};
	const struct column *highs[] = {&columns[left->high], &columns[right->high]};
	int order =
		compare_numbers(lows[0]->depth + highs[0]->depth, lows[1]->depth + highs[1]->depth);

	if (!order)
		order = compare_names(highs[0], highs[1]);
	return order ? order : compare_names(lows[0], lows[1]);
}

size_t ordered_pairs_find(const struct samples *samples, struct ordered_pair ret[ORDERED_PAIRS_MAX])
{
	struct ordered_pair *found = mem_alloc(FOUND_MAX * sizeof(*found));
	double *looks = mem_alloc(COLUMNS_MAX * LOOKED_AT * sizeof(*looks));
	size_t *columns = mem_alloc(COLUMNS_MAX * sizeof(*columns));
	size_t n = 0, n_found = 0, work = 0;

	for (size_t i = 0; i < samples->n_columns && n < COLUMNS_MAX; i++)
		if (samples->n_rows >= ROWS_LEAST && may_be_an_end(&samples->columns[i])) {
			look(samples, &samples->columns[i], &looks[n * LOOKED_AT]);
			columns[n++] = i;
		}
	for (size_t i = 0; i < n * n && n_found < FOUND_MAX && work < WORK_MAX; i++) {
		const struct ordered_pair pair = {columns[i / n], columns[i % n]};

		if (pair.low == pair.high ||
		    !seems_ordered(&looks[i / n * LOOKED_AT], &looks[i % n * LOOKED_AT]))
			continue;
		work += samples->n_rows;
		if (is_ordered(samples, &samples->columns[pair.low], &samples->columns[pair.high]))
			found[n_found++] = pair;
	}
	qsort_r(found, n_found, sizeof(*found), compare_pairs, samples->columns);
	n_found = n_found < ORDERED_PAIRS_MAX ? n_found : ORDERED_PAIRS_MAX;
	memcpy(ret, found, n_found * sizeof(*found));
	free(found);
	free(looks);
	free(columns);
	return n_found;
}
