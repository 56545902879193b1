/* Sorts rows by call, finds cold calls and features that drift with the calls. */
#include "call_drift.h"

#include <stdlib.h>

enum {
	COLD = 3,       /* cold calls of a run at most */
	COLD_PART = 10, /* but at most one in 10 */
	STEPS_MIN = 20,
};

/* The share of changes that may go the other way: counters restart now and then. */
#define BACKWARDS 0.02

static int drift_compare_calls(const void *a, const void *b, void *context)
{
	const struct sample_key *keys = context;
	const struct sample_key *left = &keys[*(const size_t *)a];
	const struct sample_key *right = &keys[*(const size_t *)b];

	if (left->run != right->run)
		return left->run < right->run ? -1 : 1;
	return (left->id > right->id) - (left->id < right->id);
}

struct call_drift call_drift_in_order(struct arena *arena, const struct samples *samples,
				      const size_t *rows, size_t n)
{
	struct call_drift calls = {.n = n};

	calls.order = arena_copy(arena, rows, n * sizeof(*rows));
	qsort_r(calls.order, calls.n, sizeof(*calls.order), drift_compare_calls, samples->keys);
	return calls;
}

size_t call_drift_run_length(const struct samples *samples, const struct call_drift *calls,
			     size_t first)
{
	const struct sample_key *keys = samples->keys;
	size_t next = first;

	while (next < calls->n && keys[calls->order[next]].run == keys[calls->order[first]].run)
		next++;
	return next - first;
}

void call_drift_mark_cold(const struct samples *samples, const struct call_drift *calls, bool *ret)
{
	size_t first, length, i;

	for (first = 0; first < calls->n; first += length) {
		length = call_drift_run_length(samples, calls, first);
		for (i = 0; i < COLD && i < length / COLD_PART; i++)
			ret[calls->order[first + i]] = true;
	}
}

bool call_drift_follows(const struct samples *samples, const struct call_drift *calls,
			const struct column *column)
{
	const struct sample_key *keys = samples->keys;
	size_t steps = 0;
	size_t up = 0;
	size_t down = 0;
	size_t i;

	for (i = 1; i < calls->n; i++) {
		size_t before = calls->order[i - 1];
		size_t after = calls->order[i];

		if (column->absence[before] != PRESENT || column->absence[after] != PRESENT ||
		    keys[before].run != keys[after].run)
			continue;
		steps++;
		up += column->numbers[after] > column->numbers[before];
		down += column->numbers[after] < column->numbers[before];
	}
	return steps >= STEPS_MIN && up + down > 0 &&
	       (up <= BACKWARDS * (up + down) || down <= BACKWARDS * (up + down));
}
