/*
 * Short names for features: what a formula calls `this->_M_impl._M_node._M_size`.
 */
#pragma once

#include <stddef.h>

#include "base/arena.h"

/*
 * A C identifier for @expression that is no word of the annotation language and none of the @n
 * names in @taken.
 */
const char *short_name(struct arena *arena, const char *expression, const char *const *taken,
		       size_t n);
