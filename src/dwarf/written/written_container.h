/*
 * Containers, as the search comes to them. Private to feature_list.h.
 */
#pragma once

#include "dwarf/feature/feature_search.h"

/* As in struct feature_search: push what the table of containers says of @node. */
bool written_container_push(struct feature_search *finder, const struct node *node,
			    enum operand operand);
