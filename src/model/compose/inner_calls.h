/*
 * The calls of one function that each call of another one made, from all of both that were kept.
 */
#pragma once

#include "base/arena.h"
#include "core/samples/samples.h"

struct inner_calls {
	const struct samples *callee;
	/* The callee's rows, in the order of the calls: those of the caller's row r are
	 * rows[first[r]] .. rows[first[r + 1] - 1]. */
	const size_t *first, *rows;
	/* [n_rows of the caller] what they cost in sum; NAN: not known of each */
	const double *sums;
	const double *costs;   /* [n_rows] the caller's, borrowed; NAN: not known */
	size_t n, least, most; /* all of them; in one call of the caller */
};

/*
 * False: @caller has none of @callee's calls, or @callee lacks @metric. @costs are the caller's;
 * rows without (NAN) do not count for `least` and `most`.
 */
bool inner_calls_find(const struct samples *caller, const double *costs,
		      const struct samples *callee, enum metric metric, struct arena *arena,
		      struct inner_calls *ret);
