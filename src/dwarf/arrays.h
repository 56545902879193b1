/*
 * Arrays: sums, lengths of strings, and elements. Private to features.h.
 */
#ifndef FATHOM_DWARF_ARRAYS_H
#define FATHOM_DWARF_ARRAYS_H

#include "dwarf/finder.h"

/* What the array or vector @node yields; an element is one step away, and so is a sum. */
void arrays_expand(struct feature_search *finder, const struct node *node);

#endif
