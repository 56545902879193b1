/*
 * The places at which functions were inlined.
 */
#pragma once

#include "function_search.h"

enum { INLINED_MAX = 10000 }; /* distinct copies of one function */

/* The inlined copies of one function. */
struct inlined_places {
	size_t n;                          /* all copies, also beyond INLINED_MAX */
	const struct inlined_copy *copies; /* sorted, each place once */
	size_t n_copies;
};

/*
 * Find the inlined copies of the chosen candidates without code; with @all, of those with code too.
 * @ret: one element per candidate of @search; texts live in @arena.
 */
void inlined_find(const struct function_search *search, bool all, struct arena *arena,
		  struct inlined_places *ret);
