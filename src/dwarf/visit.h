/*
 * Visiting a node: the features that it yields itself, and the nodes that are a step away from it.
 * Private to features.h.
 */
#ifndef FATHOM_DWARF_VISIT_H
#define FATHOM_DWARF_VISIT_H

#include "dwarf/finder.h"

void feature_visit(struct feature_search *finder, struct node *node);

#endif
