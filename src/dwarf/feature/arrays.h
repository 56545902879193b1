/*
 * Arrays: sums, lengths of strings, and elements. Private to function_features.h.
 */
#pragma once

#include "feature_search.h"

/* What the array or vector @node yields; an element is one step away, and so is a sum. */
void arrays_expand(struct feature_search *finder, const struct node *node);
