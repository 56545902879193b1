/*
 * Visiting a node: the features that it yields itself, and the nodes that are a step away from it.
 * Private to function_features.h.
 */
#pragma once

#include "feature_search.h"

void feature_visit(struct feature_search *finder, struct node *node);
