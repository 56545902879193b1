/*
 * Arrays: sums, lengths of strings, and elements. Private to feature_list.h.
 */
#pragma once

#include "feature_search.h"

/*
 * Emit the features of the array or vector @node, and push its elements; elements and sums are one
 * step away.
 */
void arrays_expand(struct feature_search *finder, const struct node *node);
