/*
 * Run-time classes: what an object of a class with virtual functions is, and the members that it
 * then has. Private to function_features.h.
 */
#pragma once

#include "records.h"

/* The object @node's class, `typeid(*p)` or `typeid(r)`; nothing if it has no virtual functions. */
void run_time_class_emit(struct feature_search *finder, const struct node *node,
			 enum operand operand);

/* Push the members of classes that derive from @node's, as `dynamic_cast<Derived *>(p)->m`. */
void run_time_class_expand(struct feature_search *finder, const struct node *node,
			   enum operand operand);
