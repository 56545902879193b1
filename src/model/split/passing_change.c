/* Finds the step in time that a partition makes in each run, and how long either side of it is. */
#include "passing_change.h"

#include "base/arena.h"
#include "model/data/call_drift.h"
#include "rank_regression.h"

/* A step may have so many calls on the wrong side. */
#define ASTRAY 0.05
/* What each side must last: a part of the run's time, and ns. */
#define LASTING_PART 0.25
#define LASTING_NS   1e9

/* The calls of a run, in order. */
struct stretch {
	const struct samples *samples;
	const size_t *rows;
	const uint8_t *sides; /* [n] */
	size_t n;
};

/* The number of leading calls that are best told apart from the others; 0: there is no step. */
static size_t find_step(const struct stretch *stretch)
{
	size_t total = 0, before = 0, step = 0, i;
	double least = ASTRAY * (double)stretch->n;

	for (i = 0; i < stretch->n; i++)
		total += stretch->sides[i] == SIDE_FIRST;
	if (!total || total == stretch->n)
		return 0;
	for (i = 1; i < stretch->n; i++) {
		size_t astray, rest = stretch->n - total;

		before += stretch->sides[i - 1] == SIDE_FIRST;
		astray = (i - before) + (total - before);
		rest = before + (rest - (i - before));
		astray = astray < rest ? astray : rest;
		if ((double)astray > least)
			continue;
		least = (double)astray;
		step = i;
	}
	return step;
}

static double time_of(const struct stretch *stretch, size_t i)
{
	return (double)stretch->samples->keys[stretch->rows[i]].start_ns;
}

static bool is_short(double part, double whole)
{
	return part < LASTING_PART * whole;
}

static bool passes(const struct stretch *stretch)
{
	const size_t step = find_step(stretch);
	const double whole = time_of(stretch, stretch->n - 1) - time_of(stretch, 0);
	double early;

	if (!step)
		return false;
	if (!(whole > 0))
		return is_short(step, stretch->n) || is_short(stretch->n - step, stretch->n);
	early = time_of(stretch, step) - time_of(stretch, 0);
	return is_short(early, whole) || is_short(whole - early, whole) || early < LASTING_NS ||
	       whole - early < LASTING_NS;
}

/* The sides by row of the samples, and the rows that have one. */
static size_t spread_sides(const struct dataset *data, const uint8_t *sides, uint8_t *ret_sides,
			   size_t *ret_rows)
{
	size_t n = 0;
	size_t i;

	for (i = 0; i < data->n_choice; i++) {
		if (sides[i] == SIDE_NONE)
			continue;
		ret_sides[data->choice[i]] = sides[i];
		ret_rows[n++] = data->choice[i];
	}
	return n;
}

bool passing_change_is(const struct dataset *data, const uint8_t *sides)
{
	struct arena *arena = arena_create();
	uint8_t *by_row = arena_array(arena, uint8_t, data->samples->n_rows);
	uint8_t *in_order = arena_array(arena, uint8_t, data->n_choice);
	size_t *rows = arena_array(arena, size_t, data->n_choice);
	const size_t n = spread_sides(data, sides, by_row, rows);
	const struct call_drift calls = call_drift_in_order(arena, data->samples, rows, n);
	bool found = false;
	size_t first, length, i;

	for (i = 0; i < n; i++)
		in_order[i] = by_row[calls.order[i]];
	for (first = 0; first < n && !found; first += length) {
		length = call_drift_run_length(data->samples, &calls, first);
		found = passes(&(struct stretch){.samples = data->samples,
						 .rows = calls.order + first,
						 .sides = in_order + first,
						 .n = length});
	}
	arena_destroy(arena);
	return found;
}
