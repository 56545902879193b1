/*
 * Members or parameters that are the two ends of a range, like `first` and `last`. Private to
 * feature_list.h.
 */
#pragma once

#include "feature_search.h"

/*
 * For the queue's nodes from @first on, which are siblings: emit the distance between ends of a
 * range, in elements. Ends can be pointers of one type to elements of known size, integers, and
 * iterators that advance by such a pointer. For a linked list, emits an unreadable feature.
 */
void range_pairs_emit(struct feature_search *finder, size_t first);

/*
 * Put into @ret (in @arena) the names that the end of a range may have whose start is called @name.
 * Returns their number.
 */
enum { PAIRS_NAMES_MAX = 16 };
size_t range_pairs_names(const char *name, struct arena *arena, const char *ret[PAIRS_NAMES_MAX]);
