/*
 * The run-time class of objects with virtual functions, and the members that the class adds.
 * Private to feature_list.h.
 */
#pragma once

#include "records.h"

/*
 * Emit the class of the object @node, `typeid(*p)` or `typeid(r)`; nothing without virtual
 * functions.
 */
void run_time_class_emit(struct feature_search *finder, const struct node *node,
			 enum operand operand);

/* Push the members of classes that derive from @node's, as `dynamic_cast<Derived *>(p)->m`. */
void run_time_class_expand(struct feature_search *finder, const struct node *node,
			   enum operand operand);
