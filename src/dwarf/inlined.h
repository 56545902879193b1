/*
 * Where functions without code of their own were inlined.
 */
#ifndef FATHOM_DWARF_INLINED_H
#define FATHOM_DWARF_INLINED_H

#include "dwarf/search.h"

/* For each candidate, the places where it was inlined. */
struct inlined_places {
	size_t n;
	const char *file; /* of the first in the debug information, NULL if not known */
	unsigned line;
};

/*
 * Count the places of the chosen candidates of CANDIDATE_INLINED; @ret has one element a candidate.
 */
void inlined_count(const struct search *search, struct arena *arena, struct inlined_places *ret);

#endif
