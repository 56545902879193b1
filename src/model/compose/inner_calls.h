/*
 * The calls of one function that each call of another one made, from those of both that were kept,
 * and from what the caller knows of them (core/samples/callee_columns.h).
 */
#pragma once

#include "base/arena.h"
#include "core/samples/samples.h"

struct inner_calls {
	const struct samples *callee;
	/* The callee's rows, in the order of the calls: those of the caller's row r are
	 * rows[first[r]] .. rows[first[r + 1] - 1]. */
	const size_t *first, *rows;
	/*
	 * [n_rows of the caller] how many there were, kept or not, and what they cost in sum; NAN:
	 * not known
	 */
	const double *counts, *sums;
	const double *costs;   /* [n_rows] the caller's, borrowed; NAN: not known */
	double n, least, most; /* of `counts`: in sum; in one call of the caller */
};

/* Does @caller know how often it called @callee, and what for @metric? */
bool inner_calls_are_known(const struct samples *caller, const char *callee, enum metric metric);

/* Were all calls that the caller's @row made kept? */
static inline bool inner_calls_whole(const struct inner_calls *calls, size_t row)
{
	return (double)(calls->first[row + 1] - calls->first[row]) == calls->counts[row];
}

/*
 * False: @caller has none of @callee's calls, or @callee lacks @metric. @costs are the caller's;
 * rows without (NAN) do not count for `least` and `most`.
 */
bool inner_calls_find(const struct samples *caller, const double *costs,
		      const struct samples *callee, enum metric metric, struct arena *arena,
		      struct inner_calls *ret);
