/*
 * Pairs: members or parameters that are the two ends of a range, like `first` and `last`. Private
 * to function_features.h.
 */
#pragma once

#include "feature_search.h"

/*
 * For the nodes of the queue from @first on, which are siblings: the distance of those that are
 * ends of a range, in elements. Pointers of one type to something of known size, integers, and
 * iterators that get on by such a pointer can be ends. Of what is a list and no array it is told.
 */
void range_pairs_emit(struct feature_search *finder, size_t first);

/*
 * The names that the end of a range can have which begins with one called @name, into @ret.
 * Returns how many.
 */
enum { PAIRS_NAMES_MAX = 16 };
size_t range_pairs_names(const char *name, struct arena *arena, const char *ret[PAIRS_NAMES_MAX]);
