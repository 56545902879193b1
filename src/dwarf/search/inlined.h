/*
 * Where functions were inlined.
 */
#pragma once

#include "function_search.h"

enum { INLINED_MAX = 10000 }; /* copies of one function that are told apart */

/* The inlined copies of one function. */
struct inlined_places {
	size_t n;                          /* all of them */
	const struct inlined_copy *copies; /* sorted, each place once */
	size_t n_copies;
};

/*
 * Find the places of the chosen candidates without code, if @all of those with code too. @ret has
 * one element a candidate; texts live in @arena.
 */
void inlined_find(const struct function_search *search, bool all, struct arena *arena,
		  struct inlined_places *ret);
