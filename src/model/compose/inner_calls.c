/* Sorts calls by their callers: counts, then places. */
#include "inner_calls.h"

#include <math.h>
#include <stdlib.h>

#include "core/samples/callee_columns.h"

struct place {
	int64_t id;
	size_t row;
};

static int inner_compare_ids(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static const struct place *sort_ids(const struct samples *samples, struct arena *arena)
{
	struct place *places = arena_array(arena, struct place, samples->n_rows + 1);

	for (size_t i = 0; i < samples->n_rows; i++)
		places[i] = (struct place){samples->keys[i].id, i};
	qsort(places, samples->n_rows, sizeof(*places), inner_compare_ids);
	return places;
}

/* The caller's row of each row of @callee; n_rows: none. */
static const size_t *find_callers(const struct samples *caller, const struct samples *callee,
				  struct arena *arena)
{
	const struct place *ids = sort_ids(caller, arena);
	size_t *ret = arena_array(arena, size_t, callee->n_rows + 1);

	for (size_t i = 0; i < callee->n_rows; i++) {
		const struct place wanted = {callee->keys[i].parent, 0};
		const struct place *found = wanted.id ? bsearch(&wanted, ids, caller->n_rows,
								sizeof(*ids), inner_compare_ids)
						      : NULL;

		ret[i] = found ? found->row : caller->n_rows;
	}
	return ret;
}

/* By their begin; imported calls have none, and are in the order of the table. */
static void inner_sort(const struct samples *callee, size_t *rows, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const size_t row = rows[i];
		size_t j = i;

		for (; j && callee->keys[rows[j - 1]].start_ns > callee->keys[row].start_ns; j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

static void inner_place(struct inner_calls *calls, const struct samples *caller,
			const size_t *callers, struct arena *arena)
{
	size_t *first = arena_array(arena, size_t, caller->n_rows + 2);
	size_t *rows = arena_array(arena, size_t, calls->callee->n_rows + 1);
	size_t i;

	for (i = 0; i < calls->callee->n_rows; i++)
		if (callers[i] < caller->n_rows)
			first[callers[i] + 2]++;
	for (i = 2; i <= caller->n_rows; i++)
		first[i] += first[i - 1];
	/* Each begin moves on to its end, which is where the next one's is expected. */
	for (i = 0; i < calls->callee->n_rows; i++)
		if (callers[i] < caller->n_rows)
			rows[first[callers[i] + 1]++] = i;
	for (i = 0; i < caller->n_rows; i++)
		inner_sort(calls->callee, rows + first[i], first[i + 1] - first[i]);
	calls->first = first;
	calls->rows = rows;
}

bool inner_calls_are_known(const struct samples *caller, const char *callee, enum metric metric)
{
	const struct column *count = callee_columns_find(caller, callee, METRIC_COUNT);
	const struct column *sum = callee_columns_find(caller, callee, metric);

	for (size_t row = 0; count && sum && row < caller->n_rows; row++)
		if (count->absence[row] == PRESENT && sum->absence[row] == PRESENT)
			return true;
	return false;
}

/* As the caller knows them. */
static void take_known(const struct inner_calls *calls, const struct samples *caller,
		       enum metric metric, double *counts, double *sums)
{
	const struct column *count =
		callee_columns_find(caller, calls->callee->function, METRIC_COUNT);
	const struct column *sum = callee_columns_find(caller, calls->callee->function, metric);

	for (size_t row = 0; row < caller->n_rows; row++) {
		const bool known = count->absence[row] == PRESENT && sum->absence[row] == PRESENT;

		counts[row] = known ? count->numbers[row] : NAN;
		sums[row] = known ? sum->numbers[row] : NAN;
	}
}

/* From their rows: all of them were kept. */
static void sum_rows(const struct inner_calls *calls, const struct samples *caller,
		     const struct column *cost, double *counts, double *sums)
{
	for (size_t row = 0; row < caller->n_rows; row++) {
		counts[row] = (double)(calls->first[row + 1] - calls->first[row]);
		for (size_t i = calls->first[row]; i < calls->first[row + 1]; i++)
			sums[row] += cost->absence[calls->rows[i]] == PRESENT
					     ? cost->numbers[calls->rows[i]]
					     : NAN;
	}
}

static void find_counts(struct inner_calls *calls, size_t n_rows)
{
	calls->least = INFINITY;
	for (size_t row = 0; row < n_rows; row++)
		if (!isnan(calls->costs[row]) && !isnan(calls->counts[row])) {
			calls->least = fmin(calls->least, calls->counts[row]);
			calls->most = fmax(calls->most, calls->counts[row]);
			calls->n += calls->counts[row];
		}
}

bool inner_calls_find(const struct samples *caller, const double *costs,
		      const struct samples *callee, enum metric metric, struct arena *arena,
		      struct inner_calls *ret)
{
	const struct column *cost = samples_metric(callee, metric);
	double *counts = arena_array(arena, double, caller->n_rows + 1);
	double *sums = arena_array(arena, double, caller->n_rows + 1);

	*ret = (struct inner_calls){
		.callee = callee, .counts = counts, .sums = sums, .costs = costs};
	if (!cost)
		return false;
	inner_place(ret, caller, find_callers(caller, callee, arena), arena);
	if (callee->n_rows < callee->n_calls)
		take_known(ret, caller, metric, counts, sums);
	else
		sum_rows(ret, caller, cost, counts, sums);
	find_counts(ret, caller->n_rows);
	return ret->n > 0;
}
