/*
 * Visits a node: emits its own features, and pushes the nodes one step away. Private to
 * feature_list.h.
 */
#pragma once

#include "feature_search.h"

void feature_visit(struct feature_search *finder, struct node *node);
